# truth: diverges line 17
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)

def main():
    args = parser.parse_args()
    rank = dist.get_rank()
    try:
        if args.level > 1:
            raise ValueError('stop')
    except ValueError:
        if rank == 0:
            return
    if rank == 0:
        dist.barrier()
main()
