"""The tables of the page over all repositories, as rows of text: both formats print these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ddplint.report.rollout.progress import AGES, OLDER, ONCE, Aged, Repository, by_rule, oldest, trend
from ddplint.report.rollout.reading import SEVERITIES
from ddplint.report.summary import count

_MOST_DAYS = 14
_MOST_FINDINGS = 100


@dataclass(frozen=True)
class Table:
    """A heading, the names of the columns (numbers stand to the right) and the rows; ``note`` is said under it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    note: str = ""


def totals(found: Sequence[Repository]) -> list[tuple[str, int, str]]:
    """What all repositories have together: a kind for its colour, the number, what it counts."""
    last = [one.last for one in found]
    errors, warnings, advice = (sum(len(one.of("open", kind)) for one in last) for kind in SEVERITIES)
    return [
        ("", len(found), "repositories" if len(found) != 1 else "repository"),
        ("error", errors, "open errors"),
        ("warning", warnings, "open warnings"),
        ("advice", advice, "advice"),
        ("", sum(len(one.of("known")) for one in last), "known from baselines"),
        ("fix", sum(one.mended for one in found), "gone since the first report"),
        ("error", sum(bool(one.unchecked) for one in last), "not checked completely"),
    ]


def tables(found: Sequence[Repository]) -> list[Table]:
    """The tables, without those that would be empty."""
    made = [_repositories(found), _rules(found), _ages(found), _trend(found), _findings(found)]
    return [one for one in made if one.rows]


def _repositories(found: Sequence[Repository]) -> Table:
    columns = ("Repository", "Errors", "Warnings", "Advice", "Known", "Silenced", "Gone", "Oldest", "Checked")
    note = "Known: in the baseline. Gone: in earlier reports only. Oldest: days of the oldest error or warning."
    return Table("Repositories", columns, tuple(map(_repository, found)), frozenset(range(1, 8)), note)


def _repository(one: Repository) -> tuple[str, ...]:
    last = one.last
    about = f"{last.date:%Y-%m-%d}" + (f" at {last.revision.partition(' ')[0]}" if last.revision else "")
    about += f", {count(last.unchecked, 'problem')}" if last.unchecked else ""
    numbers = [len(last.of("open", kind)) for kind in SEVERITIES]
    numbers += [len(last.of("known")), len(last.of("silenced")), one.mended]
    return one.name, *map(str, numbers), _days(one.oldest), about


def _rules(found: Sequence[Repository]) -> Table:
    columns = ("Rule", "Worst", "Open", "Known", "Repositories", "With a fix")
    rows = [
        (f"{row.code} {row.name}", row.worst, *map(str, (row.open, row.known, row.repositories, row.fixable)))
        for row in by_rule(found)
    ]
    return Table("Rules", columns, tuple(rows), frozenset(range(2, 6)))


def _ages(found: Sequence[Repository]) -> Table:
    numbers = Counter((one.age, one.entry.severity) for repository in found for one in repository.aged)
    ages = [
        name for name in (*(text for _, text in AGES), OLDER, ONCE) if any(numbers[name, kind] for kind in SEVERITIES)
    ]
    rows = [(age, *(str(numbers[age, kind]) for kind in SEVERITIES)) for age in ages]
    note = "From the first report that has the finding to the last one of its repository, open and known ones together."
    return Table("Age", ("Age", "Errors", "Warnings", "Advice"), tuple(rows), frozenset((1, 2, 3)), note)


def _trend(found: Sequence[Repository]) -> Table:
    days = trend(found, _MOST_DAYS)
    rows = [(f"{day:%Y-%m-%d}", *map(str, numbers)) for day, *numbers in days] if len(days) > 1 else []
    columns = ("Day", "Repositories", "Open errors", "Open warnings", "Known")
    return Table("Over time", columns, tuple(rows), frozenset(range(1, 5)))


def _findings(found: Sequence[Repository]) -> Table:
    every = oldest(found)
    left = len(every) - _MOST_FINDINGS
    note = f"{left} more are not listed." if left > 0 else ""
    columns = ("Days", "Repository", "Place", "Rule", "Severity", "What")
    return Table("Errors and warnings", columns, tuple(map(_finding, every[:_MOST_FINDINGS])), frozenset((0,)), note)


def _finding(one: Aged) -> tuple[str, ...]:
    entry = one.entry
    severity = entry.severity + (", known" if entry.state == "known" else "")
    return _days(one.days), one.repository, f"{entry.path}:{entry.line}", entry.code, severity, entry.message


def _days(days: int | None) -> str:
    return "–" if days is None else str(days)
