"""One training step of a small model, after which all ranks must hold the same weights."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from ddplint.job.doctor.collectives import Missed


def _model(device: torch.device) -> nn.Sequential:
    torch.manual_seed(dist.get_rank())
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)


def _step(model: nn.Module, device: torch.device) -> None:
    torch.manual_seed(100 + dist.get_rank())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.randn(8, 16, device=device)).square().mean().backward()
    optimizer.step()


def _all_equal(weights: torch.Tensor) -> str:
    low, high = weights.clone(), weights.clone()
    dist.all_reduce(low, dist.ReduceOp.MIN)
    dist.all_reduce(high, dist.ReduceOp.MAX)
    if not torch.equal(low, high):
        raise Missed("the weights differ between ranks after one step")
    return "weights equal on all ranks after it"


def ddp_step(device: torch.device) -> str:
    """A step through DistributedDataParallel of models that begin unequal."""
    model = DistributedDataParallel(_model(device))
    _step(model, device)
    return _all_equal(torch.cat([one.detach().flatten() for one in model.parameters()]))


def fsdp_step(device: torch.device) -> str:
    """A step through ``fully_shard``. Raises ``NotImplementedError`` where this torch has none."""
    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError as error:
        raise NotImplementedError("this torch has no fully_shard") from error
    from torch.distributed.device_mesh import init_device_mesh

    model = _model(device)
    for one in model.parameters():
        dist.broadcast(one.data, 0)
    fully_shard(model, mesh=init_device_mesh(device.type, (dist.get_world_size(),)))
    _step(model, device)
    return _all_equal(torch.cat([one.full_tensor().detach().flatten() for one in model.parameters()]))  # type: ignore[attr-defined]
