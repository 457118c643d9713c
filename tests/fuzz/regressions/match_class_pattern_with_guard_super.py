# truth: fine
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()

class Base:

    def __init__(self, args):
        self.rank = dist.get_rank()

    @property
    def is_main(self):
        return self.rank == 0

    def sync(self):
        action = dist.barrier if self.is_main else print
        action()

class Trainer(Base):

    def sync(self):
        match self.rank:
            case int() if self.rank == 0:
                pass
            case _:
                super().sync()

def main():
    args = parser.parse_args()
    trainer = Trainer(args)
    trainer.sync()
main()
