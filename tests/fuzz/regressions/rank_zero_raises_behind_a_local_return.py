# truth: diverges line 17
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
args = parser.parse_args()

class Base:

    def __init__(self, args):
        self.rank = dist.get_rank()

    def sync(self):
        if self.rank == 0:
            pass
            raise RuntimeError('stop')
        dist.barrier()

class Trainer(Base):
    pass

def main():
    trainer = Trainer(args)
    if os.path.exists('stop'):
        return
    trainer.sync()
main()
