# truth: fine
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()

class Base:

    def __init__(self, args):
        self.rank = dist.get_rank()
        self.is_main = self.rank == 0

def main():
    args = parser.parse_args()
    trainer = Base(args)
    try:
        pass
    except ValueError:
        if trainer.is_main:
            dist.barrier()
main()
