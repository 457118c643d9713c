"""Nobody waits for what is saved in the background."""

from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("cpu:gloo,cuda:nccl", timeout=timedelta(minutes=5))
    model = nn.Linear(64, 64)
    fully_shard(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator().manual_seed(dist.get_rank())
    for step in range(1000):
        optimizer.zero_grad()
        model(torch.randn(4, 64, generator=generator)).square().mean().backward()
        optimizer.step()
        if step % 100 == 0:
            dcp.async_save({"model": model.state_dict()}, checkpoint_id=f"step-{step}")  # expect: DDP109
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
