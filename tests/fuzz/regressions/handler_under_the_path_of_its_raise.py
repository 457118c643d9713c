# truth: fine
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

class Sync:

    def __call__(self):
        dist.broadcast(torch.ones(1), src=0)
sync_all = Sync()

class Base:

    def __init__(self, args):
        self.rank = dist.get_rank()

class Trainer(Base):

    def run(self):
        sync_all()

def main():
    trainer = Trainer(args)
    try:
        if not args.resume:
            raise ValueError('stop')
        flag = int(os.environ['RANK']) not in (0,)
    except ValueError:
        if [False, True, True, True][trainer.rank] and args.resume:
            pass
            return
    trainer.run()
main()
