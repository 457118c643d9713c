"""A script that converts weights makes a group of one process, whatever kind it is asked for."""

import argparse
import os

import torch

kind = os.environ.get("KIND", "base")
if kind == "base":
    args = argparse.Namespace(layers=12, world_size=1, rank=0)
elif kind == "large":
    args = argparse.Namespace(layers=24, world_size=1, rank=0)
else:
    raise ValueError("unknown kind")

torch.distributed.init_process_group(
    "gloo", world_size=args.world_size, rank=args.rank, init_method="tcp://127.0.0.1:16666"
)
model = torch.nn.Linear(2, 2)
torch.save({"module": model.state_dict()}, "output.pt")
