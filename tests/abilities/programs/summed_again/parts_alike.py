"""What is new is summed up, and then added."""

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
        part = (model(x.cuda()).argmax(1) == y.cuda()).sum()
        count = torch.tensor(float(y.numel())).cuda()
        dist.all_reduce(part)
        dist.all_reduce(count)
        total += part
        seen += count
    return (total / seen).item()


def main(loader: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    model = nn.Linear(8, 3).cuda()
    print(evaluate(model, loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
