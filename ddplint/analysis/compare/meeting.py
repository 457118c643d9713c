"""What an operation that only one side has meets at run time: the n-th operation of one rank, the n-th of another."""

from __future__ import annotations

from ddplint.analysis.compare.sides import Failure, SideHistory, says_nothing
from ddplint.analysis.domain.outcome import Outcome
from ddplint.analysis.trace.events import Meeting
from ddplint.analysis.trace.nodes import Op


def meeting_of(failure: Failure, mine: Op, theirs: Op | None, *, swapped: bool) -> Meeting:
    """How the ranks of ``mine`` fare, whose other side next does ``theirs``.

    Collectives have no names: whatever two ranks do next goes together, if it is of one kind and of one group.

    Parameters: ``swapped``, whether ``mine`` is of the failure's second side.
    """
    if theirs is None or _meets_by_name(mine):
        return Meeting(Outcome.WAITS, mine.kind)
    (one, other), (ended, gone) = failure.met, (failure.first is None, failure.second is None)
    if swapped:
        one, other, ended, gone = other, one, gone, ended
    ours, others = _from(one, mine), _from(other, theirs)
    first, second = _speaking(ours)[0], _speaking(others)[0]
    if not _go_together(first, second):
        return Meeting(Outcome.MISMATCHED, first.kind)
    return _followed(_speaking(ours), _speaking(others), (ended, gone), quiet=_speaking(ours) != ours)


def _followed(mine: list[Op], theirs: list[Op], ended: tuple[bool, bool], *, quiet: bool) -> Meeting:
    """What comes after two that go together: the first two that no longer do, as far as they were seen."""
    kind = mine[0].kind
    for one, other in zip(mine, theirs):
        if not _go_together(one, other):
            return Meeting(Outcome.SHIFTED, kind, (one.event, other.event), Outcome.MISMATCHED)
    shared = min(len(mine), len(theirs))
    if len(mine) > shared and ended[1]:
        return Meeting(Outcome.SHIFTED, kind, (mine[shared].event, None), Outcome.WAITS)
    if len(theirs) > shared and ended[0]:
        return Meeting(Outcome.SHIFTED, kind, (None, theirs[shared].event), Outcome.WAITS)
    return Meeting(Outcome.MEETS if quiet else Outcome.SHIFTED, kind)


def _go_together(one: Op, other: Op) -> bool:
    return one.kind == other.kind and one.group == other.group


def _from(met: SideHistory, start: Op) -> list[Op]:
    """What a side does from an operation on, which may lie behind what was followed."""
    at = next((number for number, op in enumerate(met.ops) if op is start), None)
    return [start] if at is None else met.ops[at:]


def _meets_by_name(op: Op) -> bool:
    """Whether an operation waits for those that ask for the same name in the store, whatever else they do."""
    return op.event.api is not None and "group_factory" in op.event.api.also


def _speaking(ops: list[Op]) -> list[Op]:
    """What communicates of some operations, at least the first one.

    Forward passes of a replica without buffers do not, nor do those behind one without gradients: measured on torch
    2.13, a forward pass under ``no_grad`` makes DDP leave out the broadcast of that model's next one.
    """
    told: list[Op] = []
    quiet = set[int]()
    for op in ops:
        details = op.event.details
        wrapped = details.get("wrapped")
        if op.kind != "forward" or details.get("engine") or wrapped is None:
            told.append(op)
            continue
        model = wrapped.id
        if model not in quiet and not says_nothing(op):
            told.append(op)
        quiet = quiet | {model} if details.get("no_grad") else quiet - {model}
    return told or ops[:1]
