"""DDP109: operations in place on a tensor that nothing holds."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch
import torch.distributed as dist
from setup import batch, device, model, steps

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
loss = model(batch).mean()
total = torch.zeros(1)
"""
FIRES = [
    "dist.all_reduce(loss.detach() * steps)",
    "dist.all_reduce(loss.detach() / world, op=dist.ReduceOp.SUM)",
    "dist.all_reduce(torch.tensor(loss.item(), device=device))",
    "dist.all_reduce(torch.tensor([loss.item()]).to(device))",
    "dist.reduce(loss.clone(), dst=0)",
    "dist.broadcast(torch.tensor(steps), src=0)",
    "dist.all_reduce(torch.stack([loss, total[0]]))",
]
SILENT = [
    "dist.all_reduce(loss)",
    "dist.all_reduce(loss.detach())",
    "dist.all_reduce(total[0])",
    "dist.all_reduce(total.view(-1))",
    "dist.all_reduce(loss.to(device))",
    "dist.all_reduce(torch.ones(1, device=device))",
    "dist.all_reduce(torch.tensor([1.0]).to(device))",
    "dist.all_reduce(torch.tensor(0, device=device, dtype=torch.int))",
    "dist.all_reduce(torch.tensor(rank))",
    "dist.all_reduce(torch.tensor(rank).cuda())",
    "dist.all_reduce(torch.ones(1) * rank)",
    "dist.all_reduce(torch.tensor([rank + 1.0], device=device))",
    "dist.all_reduce(mean := loss.detach() * steps)\nprint(mean)",
    "mean = loss.detach() * steps\ndist.all_reduce(mean)\nprint(mean)",
    "parts = [None] * world\ndist.all_gather_object(parts, loss.item() * steps)",
    "print(dist.all_reduce(loss.clone()))",
]


@pytest.mark.parametrize("line", FIRES)
def test_fires(line: str) -> None:
    assert found_in(f"{HEAD}{line}\n", "DDP109")


@pytest.mark.parametrize("line", SILENT)
def test_silent(line: str) -> None:
    assert not found_in(f"{HEAD}{line}\n", "DDP109")
