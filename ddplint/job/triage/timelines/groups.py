"""What each process group waits in, and how far each of its ranks had come."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ddplint.job.triage.facts import Counted, Wait

__all__ = ["GroupLine", "groups_of", "spelled"]

_VARYING = re.compile(r"ALLTOALL|ALL_TO_ALL|SCATTER(?!_)|^GATHER|SEND|RECV|ALLGATHERV|UNKNOWN|^STORE$")
"""Operations whose ranks may bring different sizes."""

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
        if len(self.numbers) > 1:
            late |= {rank for rank, wait in self.waits.items() if wait.seq is not None and wait.seq < last}
        return tuple(sorted(late))

    def odd(self) -> tuple[int, ...]:
        """Who waits in something that fewer do: by operation, by size, or by what stands enqueued behind it."""
        for parts in (self.operations(), self.sizes()):
            if len(parts) > 1:
                most = max(len(waits) for waits in parts.values())
                few = [wait for waits in parts.values() if len(waits) < most for wait in waits]
                return tuple(sorted({wait.rank for wait in few if wait.rank is not None}))
        return ()


def groups_of(waits: Iterable[Wait], counts: Iterable[Counted]) -> list[GroupLine]:
    """The groups in which somebody waits or was counted, those with most waiting ranks first."""
    counts = list(counts)
    named = [_named(wait, counts) for wait in waits]
    groups = dict.fromkeys([*(wait.group for wait in named), *(count.group for count in counts)])
    found = [
        _group(name, [w for w in named if w.group == name], [c for c in counts if c.group == name]) for name in groups
    ]
    return sorted(found, key=lambda one: -len(one.every))


def _named(wait: Wait, counts: list[Counted]) -> Wait:
    """The wait with its group: the watchdog names that in the next line, with the same number."""
    if wait.group:
        return wait
    same = {
        count.group for count in counts if count.rank == wait.rank and wait.seq is not None and count.failed == wait.seq
    }
    same = same or {count.group for count in counts if wait.seq is not None and count.failed == wait.seq}
    same = same or {count.group for count in counts if count.rank == wait.rank}
    return replace(wait, group=same.pop()) if len(same) == 1 else wait


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
