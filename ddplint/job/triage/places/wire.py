"""What a communication of the program is to the backend: the operations it becomes, and of how many elements."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.models.distributed.collectives import kind_named
from ddplint.findings.model import Operation

DDP = "torch.nn.parallel.DistributedDataParallel"
FSDP = ("torch.distributed.fsdp.FullyShardedDataParallel", "torch.distributed.fsdp.fully_shard")
LARGEST_BUCKET = 4 * 25 * 2**20 // 4
"""Elements of a gradient bucket that is believed: four times what DDP fills (25 MiB of float32)."""

_SPELLED = re.compile(r"base|oop|coalesced|intotensor|single|tensor")


@dataclass(frozen=True)
class Wire:
    """A backend's operation, spelled as :func:`plain` does, of ``least`` to ``most`` elements (``None``: any)."""

    op: str
    least: int = 0
    most: int | None = None

    def admits(self, op: str, elements: int | None) -> bool:
        """Whether an operation of so many elements (``None``: not told) may be this one."""
        fits = elements is None or (elements >= self.least and (self.most is None or elements <= self.most))
        return op == self.op and fits


def plain(op: str) -> str:
    """``ALLREDUCE``, ``_all_gather_base``, ``all_reduce_barrier`` … with one spelling for each operation."""
    word = re.sub(r"[^a-z]", "", op.lower())
    return "barrier" if word.endswith("barrier") else _SPELLED.sub("", word)


_BARRIER = (Wire("barrier"), Wire("allreduce", 1, 1))
_STORE = (Wire("store"),)
_BUCKETS = (Wire("allreduce", 1, LARGEST_BUCKET),)
_GRADIENTS = (*_BUCKETS, Wire("allgather"), Wire("reducescatter"))
_SHARDS = (Wire("allgather"), Wire("reducescatter"), Wire("allreduce"), Wire("broadcast"))

_KINDS: dict[str, tuple[Wire, ...]] = {
    "barrier": _BARRIER,
    "all_reduce": (Wire("allreduce"),),
    "all_reduce_coalesced": (Wire("allreduce"),),
    "reduce": (Wire("reduce"),),
    "broadcast": (Wire("broadcast"),),
    "broadcast_object_list": (Wire("broadcast"),),
    "all_gather": (Wire("allgather"), Wire("broadcast")),
    "all_gather_coalesced": (Wire("allgather"),),
    "all_gather_into_tensor": (Wire("allgather"),),
    "all_gather_object": (Wire("allgather"),),
    "gather": (Wire("gather"),),
    "gather_object": (Wire("gather"), Wire("allgather")),
    "scatter": (Wire("scatter"),),
    "scatter_object_list": (Wire("scatter"), Wire("broadcast")),
    "reduce_scatter": (Wire("reducescatter"), Wire("reduce")),
    "reduce_scatter_tensor": (Wire("reducescatter"),),
    "all_to_all": (Wire("alltoall"),),
    "all_to_all_single": (Wire("alltoall"),),
    "new_group": (*_STORE, *_BARRIER),
    "init_process_group": (*_STORE, *_BARRIER),
}
"""What functions of ``torch.distributed`` become. On NCCL uneven gathers are broadcasts, uneven scatters reductions."""


def wires_of(operation: Operation) -> tuple[Wire, ...] | None:
    """What it may be in a log; ``None`` where that is not known.

    A forward pass of DDP broadcasts buffers, and the backward pass behind it reduces gradients: ranks that do not take
    part in either are missed in both. A backward pass is called on a loss, which does not say what wraps the model.
    """
    if operation.name.startswith(DDP):
        construct = operation.effect == Effect.CONSTRUCT
        return (Wire("allgather"), Wire("broadcast")) if construct else (Wire("broadcast"), *_BUCKETS)
    if operation.name.startswith(FSDP):
        return _SHARDS
    if operation.name == "torch.Tensor.backward":
        return _GRADIENTS
    kind = kind_named(operation.name)
    if kind == "barrier":
        return _BARRIER
    return _KINDS.get(kind) if operation.name.startswith("torch.distributed.") else None
