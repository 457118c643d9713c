# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    if args.resume and os.environ['LOCAL_RANK'] != '0':
        dist.barrier()
    if args.resume and os.environ['LOCAL_RANK'] == '0':
        dist.barrier()
    try:
        dist.barrier()
    except ValueError:
        if os.path.exists('stop'):
            pass
            return
    dist.barrier()
main()
