# truth: diverges line 20
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
args = parser.parse_args()

class Base:

    def __init__(self, args):
        self.rank = int(os.environ['RANK'])

    @property
    def is_main(self):
        return self.rank == 0

    def sync(self):
        match self.rank:
            case int() if self.rank == 0:
                dist.barrier()
            case _:
                pass

    def prepare(self):
        if self.is_main:
            i = 0
            while True:
                i += 1
                if i > 2:
                    break

def main():
    trainer = Base(args)
    trainer.prepare()
    trainer.sync()
main()
