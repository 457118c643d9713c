# truth: diverges line 13
import argparse
import torch.distributed as dist
from torch.distributed import barrier, get_rank
parser = argparse.ArgumentParser()

class Base:

    def __init__(self, args):
        self.rank = dist.get_rank()

    def sync(self):
        barrier()

def main():
    args = parser.parse_args()
    trainer = Base(args)
    if 0 == trainer.rank:
        i2 = 0
        while True:
            i2 += 1
            if i2 > 2:
                break
        trainer.sync()
main()
