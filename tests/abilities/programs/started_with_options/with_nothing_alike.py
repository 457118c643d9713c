"""The program calls it with nothing: no option is set, and it is never sharded."""

import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler


class Settings:
    sharded = False
    epochs = 3


def update(settings, **kwargs):
    for name, value in kwargs.items():
        if hasattr(settings, name):
            setattr(settings, name, value)


def train(model, loader, optimizer, settings):
    for _ in range(settings.epochs):
        for rows in loader:
            loss = model(rows.cuda()).mean()
            if not torch.isfinite(loss):
                continue
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def main(**kwargs):
    settings = Settings()
    update(settings, **kwargs)
    if settings.sharded:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
    data = torch.load("rows.pt")
    model = torch.nn.Linear(8, 8).cuda()
    sampler = None
    if settings.sharded:
        model, sampler = FSDP(model), DistributedSampler(data, shuffle=False, drop_last=True)
    train(model, DataLoader(data, sampler=sampler), torch.optim.AdamW(model.parameters()), settings)


if __name__ == "__main__":
    main()
