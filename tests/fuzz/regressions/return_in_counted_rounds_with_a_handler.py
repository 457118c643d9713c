# truth: fine
import argparse
import os
import torch
import torch.distributed as dist
from torch.distributed import barrier, get_rank

parser = argparse.ArgumentParser()
args = parser.parse_args()


class Base:
    def __init__(self, args):
        self.rank = int(os.environ["RANK"])
        self.is_main = self.rank == 0

    def prepare(self):
        i2 = 0
        while True:
            i2 += 1
            if i2 > 2:
                break
            if self.is_main:
                return
            try:
                raise ValueError("stop")
            except ValueError:
                pass


class Trainer(Base):
    def sync(self):
        if self.is_main:
            barrier()
            dist.all_reduce(torch.ones(1))
        if not self.is_main:
            barrier()
            dist.all_reduce(torch.ones(1))


def main():
    trainer = Trainer(args)
    trainer.prepare()
    trainer.sync()


main()
