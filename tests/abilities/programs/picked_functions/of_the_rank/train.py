"""Only rank 0 goes on to what only rank 0 has."""
import argparse

import starting
import torch
import torch.distributed as dist


class Settings:
    number = 0


def merged(part):
    dist.barrier()
    if dist.get_rank() != 0:
        return None
    return [part]


def evaluate(several):
    if several:
        parts = merged(3)
    if Settings.number != 0:
        return {}
    return parts[0] if several else 0


parser = argparse.ArgumentParser()
parser.add_argument("--by", default="torchrun")
args = parser.parse_args()
if args.by == "none":
    together = False
else:
    _, Settings.number = getattr(starting, "start_%s" % args.by)("gloo")
    together = True
evaluate(together)
