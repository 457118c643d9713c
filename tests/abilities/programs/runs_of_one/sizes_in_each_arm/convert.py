"""A conversion script: each arm brings its own settings, all of them of one process."""

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--size")
size = parser.parse_args().size
if size == "tiny":
    from tiny import args
elif size == "base":
    from base import args
else:
    raise SystemExit("which size?")

dist.init_process_group(
    "nccl", init_method="tcp://127.0.0.1:16666", world_size=args.world_size, rank=args.rank
)
model = torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(args.layers)))
model = model.cuda()
torch.save(model.state_dict(), "converted.pt")
dist.destroy_process_group()
