"""Where no launcher is, the start makes a group of one."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def begin():
    if "RANK" not in os.environ:
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29501", rank=0, world_size=1)
        return 0, 1
    dist.init_process_group("gloo")
    return dist.get_rank(), dist.get_world_size()


def main():
    number, others = begin()
    model = nn.Linear(4, 1)
    if others > 1:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for rows in torch.load("rows.pt", map_location="cpu"):
        optimizer.zero_grad()
        model(rows).square().mean().backward()
        optimizer.step()
    if number == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.barrier()


if __name__ == "__main__":
    main()
