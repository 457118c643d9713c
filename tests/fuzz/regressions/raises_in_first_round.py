# truth: fine
import argparse
import os
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')


def main():
    args = parser.parse_args()
    for i in range(3):
        if args.resume:
            return
        if i == 0:
            raise RuntimeError('stop')
    if min(int(os.environ['RANK']), 1) == 1:
        dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))


main()
