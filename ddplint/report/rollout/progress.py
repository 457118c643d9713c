"""What reports of many repositories come to: counts, since when a finding is there, and how it went."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ddplint.report.rollout.reading import SEVERITIES, Entry, Snapshot

AGES = ((7, "up to a week"), (30, "up to a month"), (90, "up to three months"))
OLDER = "older"
ONCE = "seen once"


@dataclass(frozen=True)
class Aged:
    """A finding of the last report; ``days`` since the first one that has it, ``None`` where there is only one."""

    repository: str
    entry: Entry
    days: int | None

    @property
    def age(self) -> str:
        """In words."""
        if self.days is None:
            return ONCE
        return next((text for most, text in AGES if self.days <= most), OLDER)


@dataclass(frozen=True)
class Repository:
    """The reports of one repository, the oldest first."""

    name: str
    snapshots: tuple[Snapshot, ...]

    @property
    def last(self) -> Snapshot:
        """The newest report."""
        return self.snapshots[-1]

    @cached_property
    def aged(self) -> tuple[Aged, ...]:
        """What is open or known now, with its age."""
        first: dict[str, datetime.datetime] = {}
        for one in self.snapshots:
            for entry in one.entries:
                first.setdefault(entry.fingerprint, one.date)
        now = [entry for entry in self.last.entries if entry.state != "silenced"]
        return tuple(Aged(self.name, entry, self._days(first[entry.fingerprint])) for entry in now)

    def _days(self, since: datetime.datetime) -> int | None:
        return (self.last.date - since).days if len(self.snapshots) > 1 else None

    @property
    def mended(self) -> int:
        """How many findings of earlier reports are gone."""
        before = {entry.fingerprint for one in self.snapshots[:-1] for entry in one.entries}
        return len(before - {entry.fingerprint for entry in self.last.entries})

    @property
    def oldest(self) -> int | None:
        """Days of the oldest error or warning that is there."""
        return max((one.days for one in self.aged if one.days is not None and _grave(one)), default=None)


@dataclass(frozen=True)
class RuleRow:
    """One rule over all repositories."""

    code: str
    name: str
    worst: str
    open: int
    known: int
    repositories: int
    fixable: int


def repositories(snapshots: Iterable[Snapshot]) -> list[Repository]:
    """By repository: those with most open errors first, then warnings, then by name."""
    found: dict[str, list[Snapshot]] = {}
    for one in snapshots:
        found.setdefault(one.repository, []).append(one)
    made = [Repository(name, tuple(sorted(mine, key=lambda one: one.date))) for name, mine in found.items()]
    return sorted(made, key=lambda one: (*(-len(one.last.of("open", kind)) for kind in SEVERITIES[:2]), one.name))


def by_rule(found: Sequence[Repository]) -> list[RuleRow]:
    """The rules that are reported now: the worst first, of those the most frequent."""
    mine: dict[str, list[Aged]] = {}
    for one in (aged for repository in found for aged in repository.aged):
        mine.setdefault(one.entry.code, []).append(one)
    rows = [_row(code, entries) for code, entries in mine.items()]
    return sorted(rows, key=lambda row: (SEVERITIES.index(row.worst), -row.open, -row.known, row.code))


def _row(code: str, aged: Sequence[Aged]) -> RuleRow:
    entries = [one.entry for one in aged]
    return RuleRow(
        code,
        entries[0].name,
        min((one.severity for one in entries), key=SEVERITIES.index),
        sum(one.state == "open" for one in entries),
        sum(one.state == "known" for one in entries),
        len({one.repository for one in aged}),
        sum(one.fixable for one in entries),
    )


def oldest(found: Sequence[Repository]) -> list[Aged]:
    """The errors and warnings that are there: open ones first, the oldest and worst of them first."""
    grave = [one for repository in found for one in repository.aged if _grave(one)]
    return sorted(grave, key=_weight)


def _weight(one: Aged) -> tuple[bool, int, int, str, str, int]:
    entry = one.entry
    return (
        entry.state != "open",
        -(one.days or 0),
        SEVERITIES.index(entry.severity),
        one.repository,
        entry.path,
        entry.line,
    )


def _grave(one: Aged) -> bool:
    return one.entry.severity != "advice"


def trend(found: Sequence[Repository], most: int) -> list[tuple[datetime.date, int, int, int, int]]:
    """Of the last ``most`` days with reports: the day, and of all repositories together reports, open errors, open
    warnings and what is known from baselines, each repository by its newest report until then."""
    days = sorted({one.date.date() for repository in found for one in repository.snapshots})[-most:]
    rows = []
    for day in days:
        then = [mine[-1] for one in found if (mine := [two for two in one.snapshots if two.date.date() <= day])]
        errors, warnings = (sum(len(one.of("open", kind)) for one in then) for kind in SEVERITIES[:2])
        rows.append((day, len(then), errors, warnings, sum(len(one.of("known")) for one in then)))
    return rows
