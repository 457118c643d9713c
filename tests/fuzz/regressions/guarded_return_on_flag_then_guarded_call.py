# truth: diverges line 8
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')

def setup():
    dist.all_gather_object([None] * 4, 1)

def report(args):
    if dist.get_rank() == 0:
        if args.verbose:
            return
    if dist.get_rank() == 0:
        setup()

def main():
    args = parser.parse_args()
    setup()
    report(args)
main()
