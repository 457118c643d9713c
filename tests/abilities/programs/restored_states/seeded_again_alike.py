import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(resume):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(7 + rank)
    data = TensorDataset(torch.load("x.pt"))
    sampler = DistributedSampler(data, drop_last=True)
    model = DDP(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if resume:
        kept = torch.load(resume, weights_only=False)
        model.module.load_state_dict(kept["model"])
        torch.set_rng_state(kept["rng"])
        torch.manual_seed(99 + rank)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in DataLoader(data, 8, sampler=sampler, drop_last=True):
            noise = torch.randn_like(x)
            loss = (model(x + noise) - noise).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


main(sys.argv[1] if len(sys.argv) > 1 else None)
