# truth: diverges line 15
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')

def main():
    args = parser.parse_args()
    rank = int(os.environ['RANK'])
    if not int(os.environ['RANK']) and args.verbose:
        pass
        return
    action = dist.barrier if rank == 0 else lambda: None
    action()
main()
