# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')

class Base:

    def __init__(self, args):
        pass

    def sync(self):
        dist.barrier()

def main():
    args = parser.parse_args()
    trainer = Base(args)
    method = trainer.sync
    if int(os.environ.get('RANK', 0)) == 0:
        if args.resume:
            return
    if args.resume:
        raise RuntimeError('stop')
    method()
main()
