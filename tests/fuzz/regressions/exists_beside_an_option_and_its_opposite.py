# truth: fine
import argparse
import os
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--resume", action="store_true")


def main():
    args = parser.parse_args()
    flag = None
    if os.path.exists("stop"):
        flag = "log"
    if not args.resume and flag is not None:
        dist.barrier()
    if not args.resume and (not flag is not None):
        dist.barrier()


main()
