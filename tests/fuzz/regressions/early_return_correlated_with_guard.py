# truth: fine
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')

class Base:

    def __init__(self, args):
        self.args = args
        self.rank = dist.get_rank()

    @property
    def is_main(self):
        return self.rank == 0

class Trainer(Base):

    def run(self):
        if self.is_main:
            if self.args.verbose:
                dist.barrier()

def main():
    args = parser.parse_args()
    trainer = Trainer(args)
    if args.verbose:
        return
    i3 = 0
    while True:
        i3 += 1
        if i3 > 2:
            break
    pass
    trainer.run()
main()
