"""Findings are settled: what their nodes say is kept as ranges and texts, and the nodes are let go."""

from __future__ import annotations

from dataclasses import replace

from ddplint.findings import detached
from ddplint.findings.detached import SettledFix, SettledPlace, at, bare
from ddplint.findings.model import Finding, Fix, Place, RankAction


def settled(finding: Finding) -> Finding:
    """The finding without any node. Call it where there is stack enough for deep code."""
    return replace(
        finding,
        place=_own_place(finding),
        notes=tuple(replace(note, place=bare(note.place)) for note in finding.notes),
        actions=_bare(finding.actions),
        ends=_bare(finding.ends),
        fix=None if finding.fix is None else _fix(finding.fix),
        root=None if finding.root is None else bare(finding.root),
    )


def _bare(actions: tuple[RankAction, ...]) -> tuple[RankAction, ...]:
    return tuple(replace(one, place=None if one.place is None else bare(one.place)) for one in actions)


def comment_lines_of(place: Place) -> set[int]:
    """The lines on which a comment speaks for a place."""
    if isinstance(place, SettledPlace):
        return set(place.heads)
    from ddplint.source.suppressions import comment_lines

    return comment_lines(place.file, place.node)


def _own_place(finding: Finding) -> SettledPlace:
    place = finding.place
    if isinstance(place, SettledPlace):
        return place
    _, scopes, text = detached.anchor_of(finding)
    return at(place.file, place.range, scopes, text, sorted(comment_lines_of(place)))


def _fix(fix: Fix) -> SettledFix:
    if isinstance(fix, SettledFix):
        return fix
    from ddplint.report.edits import edit_records
    from ddplint.report.replacements import replacements

    records, changes = tuple(edit_records(fix)), replacements(fix)
    return SettledFix(fix.title, fix.safety, (), fix.demands, records, changes, together=fix.together)
