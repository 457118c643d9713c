# truth: fine
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    if args.resume and os.getenv('RANK', '0') == '0':
        raise RuntimeError('stop')
    if not args.resume:
        return
    if os.getenv('RANK', '0') == '0':
        pass
        dist.broadcast(torch.ones(1), src=0)
main()
