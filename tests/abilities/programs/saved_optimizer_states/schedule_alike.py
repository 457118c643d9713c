"""The first rank saves what its schedule keeps."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def main(loader: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()
    model = fully_shard(net)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)
    for x in loader:
        loss = (model(x.cuda()) - x.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    if dist.get_rank() == 0:
        torch.save(schedule.state_dict(), "schedule.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
