"""Coalesced operations as one: only the entry that closes them is told when they start and complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddplint.job.triage.recorder.model import Op

__all__ = ["folded"]

_CLOSES = "coalesced"


def folded(ops: Sequence[Op]) -> list[Op]:
    """``ops`` (of one rank, in order) with each batch as one operation that has ``parts``.

    Parts carry the number of the entry that closes them, and stand right before it among those of their group. A batch
    that is still open (its rank has not come to the end of it) stays as it is.
    """
    taken: set[int] = set()
    whole: dict[int, Op] = {}
    for index, op in enumerate(ops):
        if op.name.endswith(_CLOSES) and not op.parts:
            before = tuple(_before(ops, index))
            taken.update(before)
            whole[index] = _closed(op, [ops[one] for one in reversed(before)])
    return [whole.get(index, op) for index, op in enumerate(ops) if index not in taken]


def _before(ops: Sequence[Op], index: int) -> Iterator[int]:
    last = ops[index]
    for one in range(index - 1, -1, -1):
        op = ops[one]
        if op.group != last.group:
            continue
        if op.number != last.number or op.name.endswith(_CLOSES) or op.paired != last.paired:
            return
        yield one


def _closed(op: Op, parts: list[Op]) -> Op:
    mine = tuple(replace(part, started=op.started, done=op.done) for part in parts)
    sent = tuple(shape for part in mine for shape in part.inputs)
    received = tuple(shape for part in mine for shape in part.outputs)
    return replace(
        op,
        parts=mine,
        inputs=op.inputs or sent,
        outputs=op.outputs or received,
        order=mine[0].order if mine else op.order,
        frames=op.frames or (mine[0].frames if mine else ()),
    )
