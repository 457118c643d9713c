"""The totals begin anew behind each sum."""

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
        total += (model(x.cuda()).argmax(1) == y.cuda()).sum()
        seen += y.numel()
        if seen.item() > 1000:
            print("many")
        dist.all_reduce(total)
        dist.all_reduce(seen)
        print((total / seen).item())
        total = torch.zeros(1).cuda()
        seen = torch.zeros(1).cuda()
    return (total / seen).item()


def main(loader: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    model = nn.Linear(8, 3).cuda()
    print(evaluate(model, loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
