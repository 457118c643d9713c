# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')
RANK2 = int(os.environ['RANK'])
IS_MAIN = RANK2 == 0

def main():
    args = parser.parse_args()
    try:
        if args.verbose:
            raise ValueError('stop')
        dist.barrier()
    except ValueError:
        action = dist.barrier if bool(int(os.environ['RANK'])) is False else lambda: None
        action()
    if IS_MAIN:
        try:
            if args.verbose:
                raise ValueError('stop')
            dist.barrier()
        except ValueError:
            pass
        dist.barrier()
    else:
        dist.barrier()
        dist.barrier()
main()
