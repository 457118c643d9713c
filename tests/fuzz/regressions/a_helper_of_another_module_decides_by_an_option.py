# truth: fine
import argparse
import torch.distributed as dist
from helpers import Tracker, ready, prepare
from torch.distributed import barrier, get_rank
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')

class Base:

    def __init__(self, args):
        self.args = args
        self.rank = dist.get_rank()

    def sync(self):
        if [True, False, False, False][self.rank] and (not self.args.resume):
            return
        barrier()

def main():
    args = parser.parse_args()
    trainer = Base(args)
    method = trainer.sync
    if not prepare(args.resume):
        pass
        return
    method()
main()
'module helpers'

class Tracker:
    pass

def ready(value):
    if value:
        return True

def prepare(value):
    found = ready(value)
    return found
