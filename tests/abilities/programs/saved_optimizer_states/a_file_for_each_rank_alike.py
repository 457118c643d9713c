"""Every rank saves its own part, in a file of its own."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(loader: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()
    model = FSDP(net)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for x in loader:
        loss = (model(x.cuda()) - x.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(optimizer.state_dict(), f"moments{dist.get_rank()}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
