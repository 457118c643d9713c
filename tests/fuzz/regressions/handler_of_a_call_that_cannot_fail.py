# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()

def report(args):
    pass
RANK = int(os.environ['RANK'])

def main():
    args = parser.parse_args()
    rank = RANK
    try:
        report(args)
    except ValueError:
        if rank == 0:
            return
    dist.barrier()
main()
