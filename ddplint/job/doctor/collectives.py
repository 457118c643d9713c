"""Collectives whose result is known beforehand."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist


class Missed(Exception):
    """An operation ended, and its result is wrong."""


def _expect(found: Any, wanted: Any) -> str:
    if found != wanted:
        raise Missed(f"gave {found} where {wanted} was due")
    return "right on this rank"


def _barrier(device: torch.device) -> str:
    dist.barrier()
    return "passed"


def _broadcast(device: torch.device) -> str:
    one = torch.full((4,), float(dist.get_rank() + 7), device=device)
    dist.broadcast(one, 0)
    return _expect(one.tolist(), [7.0] * 4)


def _all_reduce(device: torch.device) -> str:
    one = torch.full((4,), float(dist.get_rank() + 1), device=device)
    dist.all_reduce(one)
    world = dist.get_world_size()
    return _expect(one.tolist(), [world * (world + 1) / 2.0] * 4)


def _all_gather(device: torch.device) -> str:
    world = dist.get_world_size()
    parts = [torch.zeros(2, device=device) for _ in range(world)]
    dist.all_gather(parts, torch.full((2,), float(dist.get_rank()), device=device))
    return _expect([part.tolist() for part in parts], [[float(rank)] * 2 for rank in range(world)])


def _reduce_scatter(device: torch.device) -> str:
    world, rank = dist.get_world_size(), dist.get_rank()
    out = torch.zeros(2, device=device)
    whole = torch.arange(world, device=device, dtype=torch.float32).repeat_interleave(2)
    getattr(dist, "reduce_scatter_single", dist.reduce_scatter_tensor)(out, whole)
    return _expect(out.tolist(), [float(rank * world)] * 2)


def _all_to_all(device: torch.device) -> str:
    world, rank = dist.get_world_size(), dist.get_rank()
    out = torch.zeros(world, device=device)
    dist.all_to_all_single(out, torch.full((world,), float(rank), device=device))
    return _expect(out.tolist(), [float(one) for one in range(world)])


def _ring(device: torch.device) -> str:
    world, rank = dist.get_world_size(), dist.get_rank()
    if world == 1:
        raise NotImplementedError("a ring needs two ranks")
    got, mine = torch.zeros(1, device=device), torch.full((1,), float(rank), device=device)
    left, right = (rank - 1) % world, (rank + 1) % world
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, mine, right), dist.P2POp(dist.irecv, got, left)]):
        work.wait()
    return _expect(got.item(), float(left))


def _objects(device: torch.device) -> str:
    world, rank = dist.get_world_size(), dist.get_rank()
    found: list[Any] = [None] * world
    dist.all_gather_object(found, {"rank": rank})
    return _expect(found, [{"rank": one} for one in range(world)])


def _subgroups(device: torch.device) -> str:
    world, rank = dist.get_world_size(), dist.get_rank()
    halves = [list(range(0, world, 2)), list(range(1, world, 2))]
    groups = [dist.new_group(members) for members in halves if members]
    one = torch.ones(1, device=device)
    dist.all_reduce(one, group=groups[rank % 2])
    return _expect(one.item(), float(len(halves[rank % 2])))


def _ladder(device: torch.device) -> str:
    """The first 1, 2, 4 … ranks by themselves: where a larger group fails, the step tells from how many on."""
    size, steps = 1, []
    while size <= dist.get_world_size():
        group = dist.new_group(list(range(size)))
        if dist.get_rank() < size:
            one = torch.ones(1024, device=device)
            try:
                dist.all_reduce(one, group=group)
            except RuntimeError as error:
                raise RuntimeError(f"fails from {size} ranks on: {error}") from error
            _expect(one[0].item(), float(size))
        steps.append(str(size))
        size *= 2
    return f"all_reduce among the first {', '.join(steps)} ranks"


CHECKS: dict[str, Callable[[torch.device], str]] = {
    "barrier": _barrier,
    "broadcast": _broadcast,
    "all_reduce": _all_reduce,
    "all_gather": _all_gather,
    "reduce_scatter": _reduce_scatter,
    "all_to_all": _all_to_all,
    "send and recv in a ring": _ring,
    "object collectives": _objects,
    "sub-groups": _subgroups,
    "ladder": _ladder,
}


def sizes(device: torch.device, largest: int) -> str:
    """All-reduces of 1, 100, 10,000 … and at last ``largest`` float32 elements, with bytes per second."""
    told, counts = [], [100**power for power in range(5) if 100**power < largest]
    for count in [*counts, largest]:
        one = torch.ones(count, device=device)
        dist.barrier()
        started = time.monotonic()
        dist.all_reduce(one)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        seconds = max(time.monotonic() - started, 1e-9)
        _expect((one[0].item(), one[-1].item()), (float(dist.get_world_size()),) * 2)
        told.append(f"{count:.0e}: {count * 4 / seconds / 1e6:,.1f} MB/s")
    return ", ".join(told)
