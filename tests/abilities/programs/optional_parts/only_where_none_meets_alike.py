import argparse

import torch
import torch.distributed as dist


class Mean:
    def run(self, value):
        dist.all_reduce(value)


class Shown:
    def run(self, value):
        print(value)


def main(args):
    dist.init_process_group("gloo")
    parts = [Shown()]
    if args.mean:
        parts.append(Mean())
    if not args.mean and dist.get_rank() == 0:
        for part in parts:
            part.run(torch.ones(1))


parser = argparse.ArgumentParser()
parser.add_argument("--mean", action="store_true")
parser.add_argument("--show", action="store_true")
main(parser.parse_args())
