# truth: diverges line 18
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)

def main():
    args = parser.parse_args()
    if 0 == int(os.environ['RANK']):
        try:
            if not args.level == 0:
                raise ValueError('stop')
        except ValueError:
            if not args.level == 0:
                return
    dist.broadcast(torch.ones(1), src=0)
main()
