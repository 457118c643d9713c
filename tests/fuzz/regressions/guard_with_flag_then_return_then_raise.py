# truth: diverges line 17
import argparse
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    rank = dist.get_rank()
    if args.resume and rank == 0:
        dist.all_reduce(torch.ones(1))
    if rank == 0:
        return
    if args.resume:
        raise RuntimeError('stop')
    dist.barrier()
main()
