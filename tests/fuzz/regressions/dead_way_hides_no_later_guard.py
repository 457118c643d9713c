# truth: diverges line 32
import argparse
import dataclasses
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--verbose', action='store_true')

@dataclasses.dataclass
class Config:
    rank: int

    @property
    def main(self):
        return self.rank == 0
config = Config(rank=dist.get_rank())

def finish(args):
    if args.verbose:
        return
    if config.main:
        dist.broadcast(torch.ones(1), src=0)
        dist.all_reduce(torch.ones(1))
    if not config.main:
        dist.broadcast(torch.ones(1), src=0)
        dist.all_reduce(torch.ones(1))

def main():
    args = parser.parse_args()
    finish(args)
    if args.verbose and dist.get_rank() < 2:
        dist.all_reduce(torch.ones(1))
main()
