import argparse

import torch
import torch.distributed as dist


class Mean:
    def run(self, value):
        dist.all_reduce(value)


class Shown:
    def run(self, value):
        print(value)


class Trainer:
    def __init__(self, args):
        self.parts = [Shown()]
        if args.mean:
            self.parts += [Mean()]

    def finish(self, value):
        for part in self.parts:
            part.run(value)


def main(args):
    dist.init_process_group("gloo")
    trainer = Trainer(args)
    if dist.get_rank() == 0:
        trainer.finish(torch.ones(1))  # expect: DDP101


parser = argparse.ArgumentParser()
parser.add_argument("--mean", action="store_true")
parser.add_argument("--show", action="store_true")
main(parser.parse_args())
