"""The keys of all ranks are gathered."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(8, 8)
        self.register_buffer("queue", torch.randn(1024, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q = self.net(x)
        with torch.no_grad():
            k = self.net(x.flip(1))
        same = (q * k).sum(1, keepdim=True)
        logits = torch.cat([same, q @ self.queue.clone().detach().t()], 1)
        parts = [torch.empty_like(k) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, k)
        self.queue[: len(k) * len(parts)] = torch.cat(parts)
        return functional.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long).cuda())


def main(epochs: int, data: torch.utils.data.Dataset) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    model = DistributedDataParallel(Net().cuda(), broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x in loader:
            loss = model(x.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(9, torch.load("data.pt", map_location="cpu"))
