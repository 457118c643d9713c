"""What the members of a group brought to one operation: whether it is the same, and what may differ by right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from ddplint.job.triage.recorder.model import Group, Op, Sizes

_FREE: dict[str, tuple[bool, bool]] = {
    "all_to_all": (True, True),
    "all_to_all_single": (True, True),
    "all_to_all_v_single": (True, True),
    "alltoall": (True, True),
    "alltoall_base": (True, True),
    "scatter": (True, False),
    "gather": (False, True),
    "all_gather_v": (True, False),
    "reduce_scatter_v": (False, True),
    "barrier": (True, True),
    "all_reduce_barrier": (True, True),
    "split": (True, True),
    "new_window": (True, True),
}
"""Whether the sizes that go in, and those that come out, may differ between ranks."""

_ROOTED = {"scatter": (False, True), "gather": (True, False)}
"""Whether what goes in, and what comes out, is there on all ranks and not on the root alone."""


@dataclass(frozen=True)
class Mismatch:
    """Members met in one collective with different things: ``kind`` is ``operation``, ``type``, ``size`` or ``shape``.

    ``odd`` are the ranks that differ from most others; empty where no side has the majority.
    """

    kind: str
    group: Group
    number: int
    sides: Mapping[int, Op]
    odd: tuple[int, ...]


def compared(met: Mapping[int, Op]) -> Mismatch | None:
    """The gravest difference between what ranks brought to one collective, or ``None``."""
    first = next(iter(met.values()))
    for kind, told in _ASKED:
        sides = {rank: told(op) for rank, op in met.items() if op.name}
        if kind == "type":
            sides = {rank: side for rank, side in sides.items() if side}  # only the root of a scatter brings some
        if len(set(sides.values())) > 1:
            (most, count), *others = Counter(sides.values()).most_common(2)
            odd = () if others[0][1] == count else tuple(sorted(rank for rank, side in sides.items() if side != most))
            return Mismatch(kind, first.group, first.number, met, odd)
    return None


def paired_apart(sent: Op, received: Op) -> str:
    """``type`` or ``size`` where a send and its receive differ in it, else empty."""
    if sent.types[0] and received.types[1] and set(sent.types[0]) != set(received.types[1]):
        return "type"
    there, here = sum(map(prod, sent.inputs)), sum(map(prod, received.outputs))
    return "size" if sent.inputs and received.outputs and there != here else ""


def _operation(op: Op) -> object:
    return op.name, tuple(part.name for part in op.parts)


def _types(op: Op) -> object:
    into, out = _ROOTED.get(op.name, (True, True))
    return frozenset((*(op.types[0] if into else ()), *(op.types[1] if out else ())))


def _elements(op: Op) -> object:
    return _brought(op, lambda shapes: sum(map(prod, shapes)))


def _shapes(op: Op) -> object:
    return _brought(op, lambda shapes: shapes)


def _brought(op: Op, told: Callable[[Sizes], object]) -> object:
    """What ``told`` says of the sizes that have to agree."""
    if op.parts:
        return tuple(_brought(part, told) for part in op.parts)
    into, out = _FREE.get(op.name, (False, False))
    uneven = [len(set(map(prod, shapes))) > 1 for shapes in (op.inputs, op.outputs)]
    into = into or (op.name == "all_gather" and uneven[1])
    out = out or (op.name == "reduce_scatter" and uneven[0])
    return None if into else told(op.inputs), None if out else told(op.outputs)


_ASKED: tuple[tuple[str, Callable[[Op], object]], ...] = (
    ("operation", _operation),
    ("type", _types),
    ("size", _elements),
    ("shape", _shapes),
)
