"""Counts and waiting times by operation and line, of one rank and then of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ddplint.job.histories.ranks import place
from ddplint.job.witness.recorder import Step

_MOST = 300


class Tally:
    """Adds up the steps of one rank."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str, str], list[float]] = {}
        self.open: list[Step] = []
        self.longest = 0.0
        self.failed = 0

    def add(self, step: Step) -> None:
        """Count a step; its time is added once it has ended."""
        row = self.rows.setdefault((step.op, step.group.key, place(step.site.at)), [0, 0.0, 0.0, 0])
        row[0] += 1
        self.open.append(step)

    def settle(self) -> None:
        """Add the times of the steps that have ended since."""
        still = []
        for step in self.open:
            if not step.ended:
                still.append(step)
                continue
            row = self.rows[(step.op, step.group.key, place(step.site.at))]
            seconds = step.ended - step.began
            row[1] += seconds
            row[2] = max(row[2], seconds)
            row[3] += step.later
            self.failed += bool(step.error)
        self.open = still[-1000:]

    def told(self) -> list[Any]:
        """As plain values: operation, group, line, count, seconds, longest, how many returned before they were done."""
        rows = sorted(self.rows.items(), key=lambda pair: -pair[1][1])[:_MOST]
        return [[*key, int(row[0]), round(row[1], 6), round(row[2], 6), int(row[3])] for key, row in rows]


@dataclass
class Row:
    """One operation and line: per rank the count, seconds within it and the longest; ``later``: some did not wait."""

    op: str
    group: str
    where: str
    counts: dict[int, int] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    longest: dict[int, float] = field(default_factory=dict)
    later: bool = False

    @property
    def waited(self) -> dict[int, float]:
        """Seconds that each rank was within it longer than the rank that came last."""
        least = min(self.seconds.values(), default=0.0)
        return {rank: seconds - least for rank, seconds in self.seconds.items()}


def rows_of(told: Mapping[int, list[Any]]) -> list[Row]:
    """The rows of all ranks, those that took longest first."""
    rows: dict[tuple[str, str, str], Row] = {}
    for rank, lines in sorted(told.items()):
        for op, group, where, count, seconds, longest, later in lines:
            row = rows.setdefault((op, group, where), Row(op, group, where))
            row.counts[rank], row.seconds[rank], row.longest[rank] = count, seconds, longest
            row.later = row.later or bool(later)
    return sorted(rows.values(), key=lambda row: -max(row.seconds.values()))


def waits_of(rows: list[Row]) -> dict[int, float]:
    """Seconds that each rank waited for others in all, as far as operations wait at all."""
    waits: dict[int, float] = {}
    for row in rows:
        for rank, seconds in row.waited.items():
            waits[rank] = waits.get(rank, 0.0) + seconds
    return dict(sorted(waits.items()))


def suggested_timeout(longest: float) -> int:
    """Seconds: five times the longest operation, at least a minute, in whole minutes."""
    return max(60, int(-(-longest * 5 // 60)) * 60)
