"""Coalesced operations as one: only the entry that closes them has the times when they start and complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddplint.job.triage.recorder.model import Op

_CLOSES = "coalesced"


def folded(ops: Sequence[Op]) -> list[Op]:
    """``ops`` (of one rank, in order) with each batch as one operation that has ``parts``.

    Parts carry the number of the entry that closes them, stand right before it among those of their group, and are
    never reported as done. The entry that closes sends and receives calls itself a collective, and has the number of
    the last of those. A batch that is still open (its rank has not come to the end of it) stays as it is; one whose
    parts are gone is dropped.
    """
    taken: set[int] = set()
    whole: dict[int, Op] = {}
    for index, op in enumerate(ops):
        if op.name.endswith(_CLOSES):
            before = tuple(_before(ops, index))
            taken.update(before or ([index] if op.name == _CLOSES else []))
            whole[index] = _closed(op, [ops[one] for one in reversed(before)]) if before else op
    return [whole.get(index, op) for index, op in enumerate(ops) if index not in taken]


def _before(ops: Sequence[Op], index: int) -> Iterator[int]:
    last, paired = ops[index], None
    for one in range(index - 1, -1, -1):
        op = ops[one]
        if op.group != last.group:
            continue
        paired = op.paired if paired is None else paired
        alike = op.paired == paired and op.number == (last.pairs if paired else last.number)
        if not alike or op.done or op.name.endswith(_CLOSES):
            return
        yield one


def _closed(op: Op, parts: list[Op]) -> Op:
    mine = tuple(replace(part, started=op.started, done=op.done) for part in parts)
    sent = tuple(shape for part in mine for shape in part.inputs)
    received = tuple(shape for part in mine for shape in part.outputs)
    return replace(
        op,
        paired=mine[0].paired,
        number=mine[0].number,
        parts=mine,
        inputs=op.inputs or sent,
        outputs=op.outputs or received,
        order=mine[0].order,
        frames=mine[0].frames or op.frames,
    )
