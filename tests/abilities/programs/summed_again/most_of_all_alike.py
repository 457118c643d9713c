"""The most of all ranks stays what it is."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn


@torch.no_grad()
def evaluate(model: nn.Module, loader: list) -> float:
    total = torch.zeros(1).cuda()
    seen = torch.zeros(1).cuda()
    for x, y in loader:
        total = torch.maximum(total, model(x.cuda()).max())
        dist.all_reduce(total, op=dist.ReduceOp.MAX)
        seen += y.numel()
    return (total / seen).item()


def main(loader: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    model = nn.Linear(8, 3).cuda()
    print(evaluate(model, loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
