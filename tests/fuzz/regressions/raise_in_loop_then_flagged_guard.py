# truth: diverges line 17
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)
parser.add_argument('--epochs', type=int, default=1)

def main():
    args = parser.parse_args()
    i = 0
    while i < args.epochs:
        i += 1
        if args.level != 1:
            raise RuntimeError('stop')
    if int(os.environ['RANK']) % 2 == 0 and args.level != 1:
        dist.barrier()
main()
