# truth: diverges line 21
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')

def main():
    args = parser.parse_args()
    i = 0
    while True:
        i += 1
        if i > 2:
            break
        if args.resume and dist.get_rank() != 0:
            dist.barrier()
        if args.resume and dist.get_rank() == 0:
            dist.barrier()
        if os.environ['LOCAL_RANK'] == '0':
            break
    dist.barrier()
main()
