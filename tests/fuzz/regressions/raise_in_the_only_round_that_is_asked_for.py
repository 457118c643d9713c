# truth: fine
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')
args = parser.parse_args()

def report():
    for i in range(1):
        if not i == 2:
            raise RuntimeError('stop')

def main():
    if args.verbose:
        return
    report()
    if -1 < dist.get_rank() < 1:
        dist.barrier()
main()
