"""Findings with one root as one: what people mend once is shown once, with its further places."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ddplint.findings.model import Finding, Place
from ddplint.report.order import worst_first

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Root:
    """Findings of one root, the worst first. ``lead`` is the one that is explained."""

    findings: tuple[Finding, ...]

    @property
    def lead(self) -> Finding:
        """The worst one."""
        return self.findings[0]

    @property
    def further(self) -> tuple[Finding, ...]:
        """The others, in the order of their places."""
        return tuple(sorted(self.findings[1:], key=_where))

    @cached_property
    def copies(self) -> tuple[Finding, ...]:
        """The further places of which the very same is said as of the first one."""
        return tuple(one for one in self.further if _alike(one, self.lead))

    @cached_property
    def others(self) -> tuple[Finding, ...]:
        """The further findings of which something else is said."""
        return tuple(one for one in self.further if not _alike(one, self.lead))


def roots_of(findings: Iterable[Finding]) -> list[Root]:
    """The roots of ``findings``, worst first.

    Findings of one rule have one root where one condition lets some ranks in, where they stand in one function without
    any condition, where one call leads into the file that they are in, where the same value decides on each rank, and
    where the same code was copied. What another rule says of the very place joins the worse one; what two rules say of
    places with one origin (a sampler: how it shuffles, how it pads) has two causes.
    """
    found = sorted(findings, key=worst_first)
    taken: dict[Hashable, list[Finding]] = {}
    groups: list[list[Finding]] = []
    for cluster in _clusters(found):
        rest = [one for one in cluster if _spot(one) not in taken]
        for finding in cluster:
            if _spot(finding) in taken:
                taken[_spot(finding)].append(finding)
        if rest:
            groups.append(rest)
            taken.update((_spot(one), rest) for one in rest)
    return [Root(tuple(group)) for group in groups]


def _clusters(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of the same rule that share a key, directly or over others; in the order of their first one."""
    owner: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        mine = [finding]
        for key in (key for of in _KEYS if (key := of(finding)) is not None):
            other = owner.get((finding.code, key), mine)
            if other is not mine:
                mine, gone = other, mine
                mine += gone
                owner.update((known, mine) for known, group in owner.items() if group is gone)
            owner[finding.code, key] = mine
    place = {id(finding): number for number, finding in enumerate(findings)}
    groups = list({id(group): group for group in owner.values()}.values())
    for group in groups:
        group.sort(key=lambda one: place[id(one)])
    return sorted(groups, key=lambda group: place[id(group[0])])


def _guard(finding: Finding) -> Place | None:
    return next((note.place for note in finding.notes if note.role == "guard"), None)


def _by_condition(finding: Finding) -> Hashable:
    """The condition that parts the ranks."""
    guard = _guard(finding)
    return None if guard is None else ("condition", *_start(guard))


def _by_root(finding: Finding) -> Hashable:
    """The code that is to blame, or else the finding's own."""
    return ("code", *_start(finding.root or finding.place))


def _by_function(finding: Finding) -> Hashable:
    """The function around it (or the script), where no condition tells its places apart."""
    from ddplint.findings.detached import anchor_of

    _, scopes, _ = anchor_of(finding)
    return ("function", finding.place.file.path, scopes, finding.harm) if _guard(finding) is None else None


def _by_way_in(finding: Finding) -> Hashable:
    """The call by which ranks come into the file from another one: who guards that has guarded all behind it."""
    callers = [note for note in finding.notes if note.role == "caller"]
    inside = [note.place.file is finding.place.file for note in callers]
    if _guard(finding) is not None or not callers or all(inside) or not inside[-1]:
        return None
    last = max(number for number, here in enumerate(inside) if not here)
    return ("way in", *_start(callers[last].place), finding.place.file.path)


def _by_value(finding: Finding) -> Hashable:
    """Where the value comes from that each rank decides by for itself."""
    first = next((note.place for note in finding.notes if note.role == "origin"), None)
    if first is None or finding.outcome is None or _guard(finding) is not None:
        return None
    return ("value", *_start(first))


def _by_text(finding: Finding) -> Hashable:
    """What is the same in a copy: the definitions around it, its code, its condition, and what is said."""
    from ddplint.findings.detached import anchor_of

    _, scopes, text = anchor_of(finding)
    guard = _guard(finding)
    return ("copy", scopes, text, "" if guard is None else _text(guard), _NUMBER.sub("#", finding.message))


_KEYS: tuple[Callable[[Finding], Hashable], ...] = (
    _by_root,
    _by_condition,
    _by_function,
    _by_way_in,
    _by_value,
    _by_text,
)


def _spot(finding: Finding) -> Hashable:
    """What shows that two rules speak of the same: the place, in a launch file the command."""
    place = finding.place
    path, line, column = _start(place)
    return (path, line) if getattr(place.file, "is_launch", False) else (path, line, column)


def _start(place: Place) -> tuple[str, int, int]:
    return place.file.path, place.range.start_line, place.range.start_col


def _text(place: Place) -> str:
    where = place.range
    line = place.file.lines[where.start_line - 1]
    end = where.end_col - 1 if where.end_line == where.start_line else len(line)
    return line[where.start_col - 1 : end]


def _alike(one: Finding, other: Finding) -> bool:
    return (one.code, one.message, one.severity) == (other.code, other.message, other.severity)


def _where(finding: Finding) -> tuple[str, int, int, str]:
    return (*_start(finding.place), finding.code)
