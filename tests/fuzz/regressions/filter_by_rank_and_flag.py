# truth: diverges line 11
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    [dist.broadcast(torch.ones(1), src=0) for _ in range(2) if args.resume and int(os.environ['RANK']) & 1]
main()
