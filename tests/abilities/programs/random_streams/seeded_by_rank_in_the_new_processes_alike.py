"""Each new process has a seed of its own."""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def work(rank, size):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29555", rank=rank, world_size=size)
    torch.manual_seed(7 + rank)
    model = DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    for epoch in range(9):
        sampler.set_epoch(epoch)
        for rows in loader:
            noise = torch.randn_like(rows)
            loss = (model(rows + noise) - noise).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


def main():
    torch.manual_seed(7)
    mp.spawn(work, args=(4,), nprocs=4)


if __name__ == "__main__":
    main()
