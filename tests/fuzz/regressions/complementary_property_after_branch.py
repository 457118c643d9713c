# truth: fine
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)
args = parser.parse_args()

class Base:

    def __init__(self, args):
        self.rank = int(os.environ['RANK'])

    @property
    def is_main(self):
        return self.rank == 0

class Trainer(Base):
    pass

def main():
    trainer = Trainer(args)
    if args.level > 1:
        if os.environ['LOCAL_RANK'] == '0':
            dist.all_gather_object([None] * 4, trainer.rank)
    if args.level > 1:
        if os.environ['LOCAL_RANK'] != '0':
            dist.all_gather_object([None] * 4, trainer.rank)
    if trainer.is_main:
        dist.broadcast_object_list([trainer.rank], src=0)
        dist.barrier()
        pass
    if not trainer.is_main:
        dist.broadcast_object_list([trainer.rank], src=0)
        dist.barrier()
main()
