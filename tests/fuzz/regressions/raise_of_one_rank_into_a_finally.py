# truth: diverges line 15, 30
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
args = parser.parse_args()

class Base:

    def __init__(self, args):
        pass

    def sync(self):
        dist.all_reduce(torch.ones(1))

    def prepare(self):
        if os.path.exists('stop'):
            raise RuntimeError('stop')
        self.sync()

class Trainer(Base):
    pass

def main():
    trainer = Trainer(args)
    try:
        trainer.prepare()
    finally:
        dist.barrier()
main()
