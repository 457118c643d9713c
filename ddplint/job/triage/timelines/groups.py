"""What each process group waits in, and how far each of its ranks had come."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

from ddplint.job.triage.facts import Counted, Wait

_VARYING = re.compile(r"ALLTOALL|ALL_TO_ALL|SCATTER(?!_)|^GATHER|SEND|RECV|ALLGATHERV|UNKNOWN|^STORE$")
"""Operations whose ranks may bring different sizes."""

WHOLE_JOB = ("", "default_pg", "0")
"""Names of the group of all ranks, in which a rank's number is that of the job; empty where no line names a group."""

_FAR = 64
"""Numbers of one group lie together when its ranks part: who is a step behind waits, and the others then do as well."""


def spelled(op: str) -> str:
    """An operation without what releases spell differently: ``_ALLGATHER_BASE`` and ``all_gather`` are one."""
    return re.sub(r"[^A-Z]", "", op.upper()).removesuffix("BASE").removesuffix("COALESCED") or op.upper()


@dataclass
class GroupLine:
    """One group (``name`` is empty where no line says which). ``waits``: the first pending work of each rank."""

    name: str
    waits: dict[int, Wait] = field(default_factory=dict)
    nameless: list[Wait] = field(default_factory=list)
    counts: dict[int, Counted] = field(default_factory=dict)
    several: bool = False
    """Whether the numbers seen are those of several groups, so that they cannot be compared."""

    @property
    def every(self) -> list[Wait]:
        return [*self.waits.values(), *self.nameless]

    @property
    def numbers(self) -> list[int]:
        return sorted({wait.seq for wait in self.every if wait.seq is not None})

    @property
    def number(self) -> int | None:
        """The lowest number that somebody waits in."""
        return self.numbers[0] if self.numbers else None

    @property
    def compared(self) -> bool:
        """Whether the numbers of its ranks may be held against each other."""
        return not self.several

    def at(self, number: int | None) -> list[Wait]:
        """Those that wait in this number."""
        return [wait for wait in self.every if wait.seq == number]

    def operations(self) -> dict[str, list[Wait]]:
        """Waits in the lowest number by operation."""
        found: dict[str, list[Wait]] = {}
        for wait in self.at(self.number) if self.number is not None else self.every:
            if wait.op:
                found.setdefault(spelled(wait.op), []).append(wait)
        return found

    def sizes(self) -> dict[tuple[int, int | None], list[Wait]]:
        """Waits in the lowest number by size, of operations that have one size on all ranks."""
        found: dict[tuple[int, int | None], list[Wait]] = {}
        for wait in self.at(self.number):
            if wait.elements is not None and not _VARYING.search(wait.op.upper()):
                found.setdefault((wait.elements, None), []).append(wait)
        return found

    def behind(self) -> tuple[int, ...]:
        """Ranks that have not enqueued what the others wait in: they never called it, whatever they did instead."""
        if self.number is None or not self.compared:
            return ()
        last = max(self.numbers)
        late = {
            rank
            for rank, count in self.counts.items()
            if count.enqueued is not None and -1 < count.enqueued < last and rank not in self.waits
        }
        known = self.waits.keys() | self.counts.keys()
        return tuple(sorted(late)) if 2 * len(late) <= len(known) else ()

    def passed(self) -> tuple[int, ...]:
        """Ranks that completed what the others gave up waiting in: they came when it was too late."""
        if self.number is None or not self.compared:
            return ()
        done = {rank for rank, count in self.counts.items() if (count.completed or -1) >= max(self.numbers)}
        return tuple(sorted(done - self.waits.keys()))

    def odd(self) -> tuple[int, ...]:
        """Who waits in something that fewer do: by operation, by size, or by what stands enqueued behind it."""
        for parts in (self.operations(), self.sizes()):
            if len(parts) > 1:
                most = max(len(waits) for waits in parts.values())
                few = [wait for waits in parts.values() if len(waits) < most for wait in waits]
                return tuple(sorted({wait.rank for wait in few if wait.rank is not None}))
        return ()


def groups_of(waits: Iterable[Wait], counts: Iterable[Counted], apart: Container[str] = frozenset()) -> list[GroupLine]:
    """The groups in which somebody waits or was counted, those with most waiting ranks first.

    ``apart``: names that are known to stand for several groups.
    """
    counts = list(counts)
    named = _named(list(waits), counts)
    groups = dict.fromkeys([*(wait.group for wait in named), *(count.group for count in counts)])
    found = [
        _group(name, [w for w in named if w.group == name], [c for c in counts if c.group == name]) for name in groups
    ]
    for line in found:
        line.several = line.several or line.name in apart or (not line.name and len(found) > 1)
    return sorted(found, key=lambda one: -len(one.every))


def _named(waits: list[Wait], counts: list[Counted]) -> list[Wait]:
    """The waits with their groups: the watchdog names that in the next line, with the same number.

    Where a rank waits in several groups and its lines are mixed, the group is the one in which others bring the same.
    """
    sure: list[Wait] = []
    open_: list[tuple[Wait, list[str]]] = []
    for wait in waits:
        groups = [wait.group] if wait.group else _groups_of(wait, counts)
        if len(groups) == 1:
            sure.append(replace(wait, group=groups[0]))
        else:
            open_.append((wait, groups))
    known = {(wait.group, wait.op, wait.elements, wait.seq) for wait in sure}
    for wait, groups in open_:
        fitting = [group for group in groups if (group, wait.op, wait.elements, wait.seq) in known]
        sure.append(replace(wait, group=fitting[0]) if len(fitting) == 1 else wait)
    return sorted(sure, key=lambda wait: wait.order)


def _groups_of(wait: Wait, counts: list[Counted]) -> list[str]:
    """The groups that a wait without one may be of; one where that is sure."""
    own = [count for count in counts if count.rank == wait.rank]
    same = [count for count in own if count.failed is not None and count.failed == wait.seq]
    next_line = [count.group for count in same if 0 < count.order - wait.order <= 1]
    if next_line:
        return next_line[:1]
    found = same or [count for count in counts if count.failed is not None and count.failed == wait.seq] or own
    return list(dict.fromkeys(count.group for count in found))


def _group(name: str, waits: list[Wait], counts: list[Counted]) -> GroupLine:
    line = GroupLine(name)
    numbers: dict[int, set[int]] = {}
    for wait in waits:
        if wait.rank is None:
            line.nameless.append(wait)
            continue
        if wait.seq is not None:
            numbers.setdefault(wait.rank, set()).add(wait.seq)
        known = line.waits.get(wait.rank)
        if (
            known is None
            or (wait.seq is not None and known.seq is not None and wait.seq < known.seq)
            or (known.elements is None and wait.elements is not None and wait.seq == known.seq)
        ):
            line.waits[wait.rank] = wait
    for count in counts:
        if count.rank is not None:
            line.counts[count.rank] = count
    if not name:
        every = [number for some in numbers.values() for number in some]
        apart = bool(every) and max(every) - min(every) > _FAR
        line.several = apart or (len(numbers) > 1 and any(len(some) > 1 for some in numbers.values()))
    return line
