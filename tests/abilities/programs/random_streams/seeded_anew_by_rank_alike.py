"""All ranks go on, each with its own seed."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def keep(model, step):
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "step": step, "random": torch.get_rng_state()}, "last.pt")
    dist.barrier()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = 0
    if os.path.exists("last.pt"):
        kept = torch.load("last.pt", map_location="cpu")
        model.module.load_state_dict(kept["model"])
        step = kept["step"]
        torch.manual_seed(step + dist.get_rank())
    data = TensorDataset(torch.zeros(64, 4))
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False, drop_last=True))
    for (batch,) in loader:
        noise = torch.randn_like(batch)
        loss = (model(batch + noise) - batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
    keep(model, step)
    dist.destroy_process_group()


main()
