# truth: diverges line 10
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()

def repeat(left):
    if left == 0:
        return
    dist.barrier()
    repeat(left - 1)

class Base:

    def __init__(self, args):
        self.rank = int(os.environ['RANK'])

    @property
    def is_main(self):
        return self.rank == 0

    def sync(self):
        for item in range(2 if self.is_main else 1):
            repeat(2)

class Trainer(Base):
    pass

def main():
    args = parser.parse_args()
    trainer = Trainer(args)
    pass
    trainer.sync()
main()
