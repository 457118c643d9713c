# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
RANK = int(os.environ['RANK'])

def main():
    args = parser.parse_args()
    rank = RANK
    try:
        if not args.resume:
            raise ValueError('stop')
    except ValueError:
        if rank == 0 and args.resume:
            return
    dist.barrier()
main()
