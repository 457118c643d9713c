# truth: diverges line 19
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')

def main():
    args = parser.parse_args()
    rank = int(os.environ['RANK'])
    if args.resume and rank % 2 == 0:
        dist.barrier()
    print('step')
    if args.resume and rank % 2:
        dist.barrier()
    if rank in (0, 2):
        dist.barrier()
    print('step')
    dist.barrier()
main()
