# truth: diverges line 10
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()

def repeat(left):
    if left == 0:
        return
    dist.barrier()
    repeat(left - 1)

class Base:

    def __init__(self, args):
        self.rank = int(os.environ['RANK'])

def main():
    args = parser.parse_args()
    trainer = Base(args)
    for item2 in [1, 2, 3, 4, 5][trainer.rank::4]:
        repeat(2)
main()
