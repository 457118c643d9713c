"""``len`` of what has a ``__len__`` in the project: objects, and loaders whose sampler says how many elements come."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    Const,
    Function,
    Instance,
    Object,
    PerRank,
    Value,
    Varying,
    by_rank_in,
    varying_in,
)
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data import iterables


def ask(w: Interp, value: Value, node: cst.CSTNode) -> None:
    """Walk a ``__len__`` that other ranks notice: they agree there on a number."""
    for one in _counted(value):
        method = _method(w, one)
        if method is None or method.owner is None:
            continue
        if w.project.index.matters(method.owner.module.file, f"{method.owner.name}.__len__"):
            w.semantics.call_value(w, method, [one], {}, node)


def of(w: Interp, value: Instance | Object, node: cst.CSTNode) -> Value | None:
    """The length that an object of the project says it, or a loader of it, has; where ranks have another each."""
    for one in _counted(value):
        found = _length(w, one, node)
        if found is not None:
            return found if isinstance(value, Instance) else _in_batches(value, one, found)
    return None


def _counted(value: Value) -> Iterator[Instance]:
    """What says how many there are: the object itself, of a loader what it asks for the numbers of elements."""
    if isinstance(value, Instance):
        yield value
    elif isinstance(value, Object) and iterables.is_loader(value):
        given = (value.argument(position, name) for position, name in ((4, "batch_sampler"), (3, "sampler")))
        yield from (one for one in given if isinstance(one, Instance))


def _method(w: Interp, value: Instance) -> Function | None:
    method, _ = classes.find_in_class(w, value.cls, "__len__")
    return method if isinstance(method, Function) else None


def _length(w: Interp, value: Instance, node: cst.CSTNode) -> Value | None:
    method = _method(w, value)
    if method is None:
        return None
    with w.saved(quiet=w.quiet + 1):
        found = w.semantics.call_value(w, method, [value], {}, node)
    return found if by_rank_in(found) or varying_in(found) is not None else None


def _in_batches(loader: Object, sampler: Instance, length: Value) -> Value | None:
    """The number of batches of so many elements; ``None`` where it may be the same on all ranks."""
    if loader.argument(4, "batch_sampler") == sampler:
        return length
    local = varying_in(length)
    if local is not None:
        return Varying(Reason.LENGTH, symbol("len", loader), local.trail) if local.reason is Reason.LENGTH else None
    size = loader.argument(1, "batch_size") or Const(1)
    if not isinstance(length, PerRank) or not isinstance(size, Const) or not isinstance(size.value, int):
        return None
    return _divided(length, size.value, loader.argument(8, "drop_last") == Const(True))


def _divided(length: PerRank, size: int, whole: bool) -> Value | None:
    """Known numbers of elements in batches. ``whole``: only batches that are full count."""
    counts = [one.value for one in length.values if isinstance(one, Const) and isinstance(one.value, int)]
    if len(counts) < len(length.values) or size < 1:
        return None
    batches = [one // size if whole else -(-one // size) for one in counts]
    return PerRank(tuple(map(Const, batches)), length.trail) if len({*batches}) > 1 else None
