"""Jams → facts for triage: the cause, who is to blame, one sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ddplint.job.triage.facts import Recorded, Stack
from ddplint.job.triage.recorder.comparing import compared
from ddplint.job.triage.recorder.jams import Jam, mismatched
from ddplint.job.triage.recorder.late import lateness
from ddplint.job.triage.recorder.model import Op
from ddplint.job.triage.recorder.spelling import at, brought, operation, ranks_of, verb
from ddplint.job.triage.recorder.waiting import Waiting

_SIDES = 16


def said(jam: Jam, waiting: Waiting, where: str) -> Recorded:
    """One cause as a fact."""
    cause, also, blamed, text = _SAYS[jam.kind](jam, waiting)
    name = next((operation(op) for op in jam.ops.values()), "")
    sides = list(jam.ops if jam.kind in ("mismatch", "unequal", "crossed") else blamed)[:_SIDES]
    last = tuple(stack for rank in sides for stack in _last(rank, jam, waiting))
    return Recorded(
        cause,
        text,
        blamed,
        jam.waiting,
        jam.place.group.label,
        jam.place.number,
        name,
        where,
        also=also,
        last=last,
        unrecorded=jam.kind == "unrecorded",
    )


def mismatches(waiting: Waiting, known: list[Jam], where: str) -> Iterator[Recorded]:
    """Where the ranks of a group met with different things and went on all the same."""
    told = {jam.place.group for jam in known if jam.kind == "mismatch"}
    for group, found in waiting.parted.items():
        if group not in told:
            yield said(mismatched(found, ()), waiting, where)


Said = tuple[str, tuple[str, ...], tuple[int, ...], str]
"""The cause, further ones, who is to blame, the sentence."""


def _idle(jam: Jam, waiting: Waiting) -> Said:
    called = any(_calls_alike(rank, jam, waiting) for rank in jam.ranks)
    recorded = any(waiting.job.dumps[rank].ops for rank in jam.ranks)
    names = {operation(op) for op in jam.ops.values()}
    text = (
        f"{ranks_of(jam.ranks)} {verb(jam.ranks, 'has', 'have')} nothing pending and did not come to "
        f"{at(jam.place, ' or '.join(sorted(names)))}, in which {_here(jam)}{_others(jam)}"
    )
    last = next((dump.ops[-1] for rank in jam.ranks if (dump := waiting.job.dumps[rank]).ops), None)
    if last is not None and recorded:
        text += f"; the last that rank {last.rank} did was {brought(last)} (#{last.number})"
    return (
        ("diverged", ("slow",), jam.ranks, text)
        if recorded and not called
        else ("slow", ("diverged",), jam.ranks, text)
    )


def _calls_alike(rank: int, jam: Jam, waiting: Waiting) -> bool:
    """Whether the rank has made the call before that others wait in now: then it is late rather than elsewhere."""
    done = waiting.job.dumps[rank].ops
    return any(_alike(op, there) for op in done for there in jam.ops.values())


def _alike(one: Op, other: Op) -> bool:
    lines = one.own is None or other.own is None or one.own == other.own
    return lines and (one.group, one.name, one.inputs) == (other.group, other.name, other.inputs)


def _stalled(jam: Jam, waiting: Waiting) -> Said:
    op = waiting.stalled[jam.ranks[0]]
    others = waiting.completed(jam.place)
    text = (
        f"{ranks_of(jam.ranks)} did not see {at(jam.place, operation(op))} completed, which {ranks_of(others)} of the "
        f"same group completed and left behind: its device, driver or watchdog stopped there{_others(jam)}"
    )
    return "hardware", ("slow", "died"), jam.ranks, text


def _unstarted(jam: Jam, waiting: Waiting) -> Said:
    op = waiting.heads[jam.ranks[0]]
    text = (
        f"{at(jam.place, operation(op))} runs on the devices of other ranks, but {ranks_of(jam.ranks)} only enqueued "
        f"it: the device is busy with something before it (a kernel, a copy){_others(jam)}"
    )
    return "slow", ("hardware",), jam.ranks, text


def _unrecorded(jam: Jam, waiting: Waiting) -> Said:
    few = len(jam.ranks) < len(waiting.job.dumps)
    name = next((operation(op) for op in jam.ops.values()), "an operation")
    text = (
        f"no dump of {ranks_of(jam.ranks)} is here, so nothing is known of "
        f"{verb(jam.ranks, 'it', 'them')}; {_here(jam)} in {at(jam.place, name)} for {verb(jam.ranks, 'it', 'them')}"
    )
    return "slow", ("died", "diverged", "transport"), jam.ranks if few else (), text


def _mismatch(jam: Jam, waiting: Waiting) -> Said:
    found = compared(jam.ops)
    kind = found.kind if found is not None else ""
    sides: dict[str, list[int]] = defaultdict(list)
    for rank, op in jam.ops.items():
        sides[brought(op)].append(rank)
    told = "; ".join(f"{ranks_of(ranks)}: {text}" for text, ranks in list(sides.items())[:_SIDES])
    what = {"operation": "call different operations", "type": "bring different types", "size": "bring different sizes"}
    text = f"#{jam.place.number} of {jam.place.group}: ranks {what.get(kind, 'differ')}: {told}"
    if kind != "size":
        return "diverged", (), jam.ranks, text
    here = len({op.own for op in jam.ops.values()}) == 1
    return *(("sizes", ("diverged",)) if here else ("diverged", ("sizes",))), jam.ranks, text


def _unequal(jam: Jam, waiting: Waiting) -> Said:
    told = "; ".join(f"rank {rank}: {brought(op)}" for rank, op in jam.ops.items())
    kind = waiting.apart(jam.place)
    text = f"{at(jam.place, 'send')}: the send and its receive differ in {kind}: {told}"
    return "sizes" if kind == "size" else "diverged", (), (), text


def _together(jam: Jam, waiting: Waiting) -> Said:
    name = next((operation(op) for op in jam.ops.values()), "an operation")
    idle = tuple(sorted(waiting.job.dumps.keys() - waiting.heads.keys()))
    if idle and not jam.place.group.known and len(jam.place.members) == 1:
        text = (
            f"{ranks_of(jam.ops)} waits in {at(jam.place, name)}, whose members no dump lists; "
            f"{ranks_of(idle)} {verb(idle, 'has', 'have')} nothing pending"
        )
        return "slow", ("diverged", "transport"), idle if len(idle) == 1 else (), text
    behind = _behind(jam, waiting)
    text = (
        f"all ranks of {jam.place.group} that have a dump are in {at(jam.place, name)} with the same: they do not "
        f"disagree, the transport or a kernel is stuck"
    )
    if behind:
        text += f"; {ranks_of(behind)} {verb(behind, 'is', 'are')} behind the others in what was enqueued after it"
    return "transport", ("hardware", "slow"), behind, text


def _behind(jam: Jam, waiting: Waiting) -> tuple[int, ...]:
    """The members, half of them at most, that enqueued least in the group."""
    counts = {rank: waiting.job.counts(rank, jam.place.group) for rank in jam.ops}
    enqueued = {rank: one.enqueued for rank, one in counts.items() if one is not None}
    least = [rank for rank, number in enqueued.items() if number == min(enqueued.values())]
    return tuple(least) if 2 * len(least) <= len(enqueued) else ()


def _crossed(jam: Jam, waiting: Waiting) -> Said:
    sides = [f"rank {rank}: {at(waiting.at[rank][0], operation(op))}" for rank, op in jam.ops.items()]
    told = "; ".join(sides[:_SIDES])
    text = f"{ranks_of(jam.ranks)} wait for each other in different places: {told}"
    return "diverged", (), jam.ranks, text


def _late(jam: Jam, waiting: Waiting) -> Said:
    name = operation(next(iter(jam.ops.values())))
    limit = max(op.timeout or 0 for op in jam.ops.values()) / 1000
    text = (
        f"{ranks_of(jam.ranks)} came to {at(jam.place, name)} {lateness(jam):.1f} s after {ranks_of(jam.waiting)}, "
        f"longer than the time limit of {limit:g} s"
    )
    return "slow", (), jam.ranks, text


_SAYS = {
    "late": _late,
    "idle": _idle,
    "stalled": _stalled,
    "unstarted": _unstarted,
    "unrecorded": _unrecorded,
    "mismatch": _mismatch,
    "together": _together,
    "unequal": _unequal,
    "crossed": _crossed,
}


def _here(jam: Jam) -> str:
    ranks = tuple(rank for rank in jam.ops if rank not in jam.ranks)
    return f"{ranks_of(ranks)} {verb(ranks, 'waits', 'wait')}"


def _others(jam: Jam) -> str:
    others = set(jam.waiting) - set(jam.ops) - set(jam.ranks)
    return f"; {ranks_of(others)} {verb(others, 'waits', 'wait')} for these in turn" if others else ""


def _last(rank: int, jam: Jam, waiting: Waiting) -> Iterator[Stack]:
    """Where the rank called what is said of it, or else the last that it called."""
    dump = waiting.job.dumps.get(rank)
    ops = [op for op in (jam.ops.get(rank), dump.ops[-1] if dump is not None and dump.ops else None) if op is not None]
    if ops and ops[0].frames:
        yield Stack(rank, ops[0].frames, where=dump.where if dump is not None else "")
