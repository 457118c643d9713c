# truth: diverges line 20
import argparse
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
parser.add_argument('--epochs', type=int, default=1)

def main():
    args = parser.parse_args()
    rank = dist.get_rank()
    main = rank == 0
    for i in range(args.epochs):
        if args.resume:
            if rank == 0:
                dist.broadcast(torch.ones(1), src=0)
            else:
                dist.broadcast(torch.ones(1), src=0)
    if main or args.resume:
        dist.barrier()
main()
