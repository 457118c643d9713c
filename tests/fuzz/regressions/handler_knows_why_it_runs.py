# truth: diverges line 10
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)

def setup(args):
    rank = dist.get_rank()
    if rank == 0:
        args.level != 1 or dist.barrier()

def main():
    args = parser.parse_args()
    try:
        if not args.level != 1:
            raise ValueError('stop')
    except ValueError:
        setup(args)
main()
