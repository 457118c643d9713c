"""Calls that run their callee in one process: ``main_worker(0, world_size=1)``, ``mp.spawn(work, nprocs=1)``.

A script that also starts one process for each device often has such a call for debugging. What stands behind it is
done by one process, whatever its other programs do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from ddplint.analysis.domain.arguments import argument
from ddplint.analysis.domain.values import Const, Function, Value
from ddplint.source.tree import positional

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp
    from ddplint.knowledge import Api


__all__ = ["inside", "is_given", "is_started"]

_SIZES = frozenset({"world_size", "num_processes", "num_procs", "n_procs", "nprocs", "nproc_per_node"})
"""Parameters that say how many processes there are."""


def is_given(function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether a call says outright that its function is one of one process; a default does not."""
    named = dict(zip(positional(function.node.params), args, strict=False))
    return any(_is_one(named.get(size) or kwargs.get(size)) for size in _SIZES)


def is_started(row: Api, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether a launcher is told to start one process."""
    return bool(row.world_arg) and _is_one(argument(list(args), dict(kwargs), row.world_arg, row.world_pos))


def inside(w: Interp, one: bool) -> AbstractContextManager[None]:
    """What runs inside is done by one process, if ``one``."""
    return w.saved(alone=w.alone + one)


def _is_one(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == 1 and type(value.value) is int
