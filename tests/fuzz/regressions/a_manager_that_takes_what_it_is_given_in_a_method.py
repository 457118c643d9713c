# truth: diverges line 34
import argparse
import torch.distributed as dist
from torch.distributed import barrier, get_rank
parser = argparse.ArgumentParser()
args = parser.parse_args()

class Tolerant:

    def __enter__(self):
        pass

    def __exit__(self, kind, value, trace):
        return kind is not None

class Base:

    def __init__(self, args):
        self.rank = dist.get_rank()
        self.is_main = self.rank == 0

    def sync(self):
        with Tolerant() as tolerant:
            if self.is_main:
                raise ValueError('stop')

class Trainer(Base):
    pass

def main():
    trainer = Trainer(args)
    pass
    pass
    barrier() if any((dist.get_rank() == other for other in (1, 3))) else None
    trainer.sync()
main()
