"""Each rank looks for numbers in its own shard of the gradients."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def main(batches: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)).cuda()
    fully_shard(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches:
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        if any(torch.isnan(one.grad).any() for one in model.parameters()):
            optimizer.zero_grad()
            continue
        optimizer.step()  # expect: DDP604
        optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
