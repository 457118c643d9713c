# truth: fine
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)

def main():
    args = parser.parse_args()
    if args.level != 1:
        return
    if int(os.environ['RANK']):
        [dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1)) for _ in range(2) if args.level != 1]
main()
