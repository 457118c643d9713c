"""Data is worked out anew by an option, before the group is made: the run goes on with it, and is no other mode."""

import argparse
import os
import sys

import torch
import torch.distributed as dist


def data_of(args):
    place = os.path.join(args.folder, "data.pt")
    if args.anew:
        torch.save(worked_out(args), place)  # expect: DDP201
    return torch.load(place)


def main(args):
    data = data_of(args)
    if "deepspeed" in sys.modules:
        dist.init_process_group("gloo")
    if args.train:
        train(data, dist.get_rank())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--train", action="store_true")
    main(parser.parse_args())
