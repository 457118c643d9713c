# truth: diverges line 22
import argparse
import os
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()

def is_main():
    return int(os.environ.get('RANK', '0')) == 0

class Base:

    def __init__(self, args):
        pass

    def sync(self):
        for i in range(1):
            if is_main():
                pass
                break
        else:
            dist.all_reduce(torch.ones(1))

def main():
    args = parser.parse_args()
    trainer = Base(args)
    trainer.sync()
main()
