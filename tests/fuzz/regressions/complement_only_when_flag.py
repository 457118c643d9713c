# truth: diverges line 14
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    if args.resume:
        if int(os.environ.get('RANK', 0)) != 0:
            dist.barrier()
    if int(os.environ.get('RANK', 0)) == 0:
        dist.barrier()
main()
