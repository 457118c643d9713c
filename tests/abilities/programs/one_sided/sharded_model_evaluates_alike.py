"""What one rank does with a sharded model's numbers changes no weight."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    fully_shard(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.zeros(64, 4))
    for (x,) in DataLoader(data, batch_size=4, sampler=DistributedSampler(data, drop_last=True)):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0:
            print(loss.item(), optimizer.param_groups[0]["lr"])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
