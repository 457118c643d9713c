"""One process where it is debugged; else as many as the launcher starts, and all of them save to the same file."""

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--debug", action="store_true")
args = parser.parse_args()
if args.debug:
    dist.init_process_group("gloo", world_size=1, rank=0, init_method="tcp://127.0.0.1:16666")
else:
    dist.init_process_group("gloo")
model = torch.nn.Linear(2, 2)
torch.save(model.state_dict(), "output.pt")  # expect: DDP201
