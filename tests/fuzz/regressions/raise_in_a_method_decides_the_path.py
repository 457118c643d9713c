# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')

class Base:

    def __init__(self, args):
        self.args = args
        self.rank = int(os.environ['RANK'])
        self.is_main = self.rank == 0

    def sync(self):
        if not self.args.resume:
            raise RuntimeError('stop')

class Trainer(Base):

    def run(self):
        if not self.args.resume:
            if self.is_main:
                dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))
        pass

def main():
    args = parser.parse_args()
    trainer = Trainer(args)
    trainer.sync()
    trainer.run()
main()
