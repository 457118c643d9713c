# truth: diverges line 18
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

def main():
    rank = int(os.environ['RANK'])
    match rank:
        case 0:
            if args.resume:
                raise RuntimeError('stop')
        case _:
            pass
    if rank % 2 == 0:
        dist.barrier()
main()
