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
    parts, others = [], []
    if args.mean:
        parts.append(Mean())
        others.append(Mean())
    for part in parts if dist.get_rank() == 0 else others:
        part.run(torch.ones(1))


parser = argparse.ArgumentParser()
parser.add_argument("--mean", action="store_true")
parser.add_argument("--show", action="store_true")
main(parser.parse_args())
