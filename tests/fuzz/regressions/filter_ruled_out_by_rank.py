# truth: fine
import argparse
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)

def main():
    args = parser.parse_args()
    rank = dist.get_rank()
    if rank >= 1:
        [dist.broadcast(torch.ones(1), src=0) for _ in range(2) if args.level <= 2 and rank == 0]
main()
