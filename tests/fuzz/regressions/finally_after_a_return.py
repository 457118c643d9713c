# truth: diverges line 11
import argparse
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)

def notify2(main_only=True):
    if main_only and dist.get_rank() != 0:
        return
    dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))

def main():
    args = parser.parse_args()
    try:
        if not args.level > 1:
            return
    finally:
        if not args.level > 1:
            notify2(main_only=True)
    notify2(False)
main()
