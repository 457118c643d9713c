# truth: diverges line 17
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')
args = parser.parse_args()

def main():
    rank = dist.get_rank()
    try:
        if args.verbose:
            raise ValueError('stop')
    except ValueError:
        pass
    if rank == 0:
        if args.verbose:
            dist.barrier()
main()
