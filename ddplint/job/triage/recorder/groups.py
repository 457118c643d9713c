"""All dumps together: members of groups that no dump lists, operations by their number, and how far each rank came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ddplint.job.triage.recorder.folding import folded
from ddplint.job.triage.recorder.model import Counts, Dump, Group, Groups, Op
from ddplint.job.triage.recorder.reading import WORLD


@dataclass(frozen=True)
class Job:
    """The dumps by rank, and of each collective (group and number) who enqueued it."""

    dumps: Mapping[int, Dump]
    met: Mapping[tuple[Group, int], Mapping[int, Op]]
    timed: bool

    def counts(self, rank: int, group: Group) -> Counts | None:
        """How far ``rank`` came in ``group``; ``None`` where its dump does not tell, or there is none."""
        dump = self.dumps.get(rank)
        return None if dump is None else dump.counts.get(group)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Every rank that a dump was written by or speaks of."""
        named = {rank for group in self.groups for rank in group.members}
        return tuple(sorted(named | self.dumps.keys()))

    @property
    def groups(self) -> set[Group]:
        """Every group in which something was recorded."""
        return {op.group for dump in self.dumps.values() for op in dump.ops} | {
            group for dump in self.dumps.values() for group in dump.counts
        }


def together(dumps: Sequence[Dump], made: Groups) -> Job:
    """Make groups one and the same for all ranks, fold batches, and count. ``dumps`` are changed."""
    known = {group: made(group.name, ranks, group.description, known=False) for group, ranks in _members(dumps).items()}
    for dump in dumps:
        dump.ops = folded([replace(op, group=known[op.group]) if op.group in known else op for op in dump.ops])
        dump.counts = {known.get(group, group): counts for group, counts in dump.counts.items()}
    _count(dumps)
    for dump in dumps:
        dump.ops += _untold(dump)
    met: dict[tuple[Group, int], dict[int, Op]] = defaultdict(dict)
    for dump in dumps:
        for op in dump.ops:
            if not op.paired:
                met[op.group, op.number][dump.rank] = op
    timed = any(op.started and not op.done for dump in dumps for op in dump.ops)
    timed = timed or any(counts.started is not None for dump in dumps for counts in dump.counts.values())
    return Job({dump.rank: dump for dump in dumps}, met, timed)


def _members(dumps: Sequence[Dump]) -> dict[Group, tuple[int, ...]]:
    """Who was seen in each group that no dump lists; the default group has everybody."""
    seen: dict[Group, set[int]] = defaultdict(set)
    everybody: set[int] = set()
    for dump in dumps:
        used = {op.group for op in dump.ops} | dump.counts.keys()
        everybody |= {dump.rank, *(rank for group in used for rank in group.members)}
        for group in used:
            if not group.known:
                seen[group] |= {dump.rank} if group.description != WORLD else {dump.rank, -1}
    world = set(range(max(everybody, default=-1) + 1))
    return {group: tuple(sorted(world if -1 in ranks else ranks)) for group, ranks in seen.items()}


def _count(dumps: Sequence[Dump]) -> None:
    """Counts from the operations where ``pg_status`` has none, or counts something else.

    It has one number for collectives and operations between two ranks alike, so it says nothing of collectives in a
    group that has both (nor, on gloo, where the latter are not recorded).
    """
    mixed = {group for dump in dumps for group in _mixed(dump)}
    for dump in dumps:
        told = {group: counts for group, counts in dump.counts.items() if group not in mixed}
        own = _counted(dump)
        dump.counts = {group: _later(told.get(group), own.get(group)) for group in told.keys() | own.keys()}


def _later(*counts: Counts | None) -> Counts:
    """The furthest of what was counted: entries are written down a moment after ``pg_status``."""
    known = [one for one in counts if one is not None]
    started = max((one.started for one in known if one.started is not None), default=None)
    return Counts(max(one.enqueued for one in known), started, max(one.completed for one in known))


def _mixed(dump: Dump) -> set[Group]:
    last: dict[Group, int] = {}
    found = set()
    for op in dump.ops:
        if op.paired:
            found.add(op.group)
        else:
            last[op.group] = op.number
    return found | {
        group for group, number in last.items() if group in dump.counts and dump.counts[group].enqueued > number
    }


def _counted(dump: Dump) -> dict[Group, Counts]:
    found: dict[Group, Counts] = {}
    for op in dump.ops:
        if not op.paired:
            known = found.get(op.group, Counts(op.number, None, op.number - 1))
            found[op.group] = Counts(max(known.enqueued, op.number), None, op.number if op.done else known.completed)
    return found


def _untold(dump: Dump) -> list[Op]:
    """Collectives that ``pg_status`` counts as pending where the dump has no entries of the group."""
    told = {op.group for op in dump.ops}
    return [
        Op(dump.rank, group, counts.completed + 1, "", order=1 << 62)
        for group, counts in dump.counts.items()
        if counts.enqueued > counts.completed >= 0 and group not in told
    ]
