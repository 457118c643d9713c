"""The state is put together on all ranks."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_optimizer_state_dict
from torch.distributed.fsdp import fully_shard


def main(loader: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()
    model = fully_shard(net)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for x in loader:
        loss = (model(x.cuda()) - x.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    kept = get_optimizer_state_dict(model, optimizer, options=options)
    if dist.get_rank() == 0:
        torch.save(kept, "moments.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
