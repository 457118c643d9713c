# truth: diverges line 19
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    try:
        if not args.resume:
            raise ValueError('stop')
    except ValueError:
        pass
    if args.resume:
        raise RuntimeError('stop')
    if int(os.environ['RANK']) % 2:
        dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))
main()
