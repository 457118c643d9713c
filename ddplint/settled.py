"""Findings without trees: places with known ranges, fixes with known texts. They outlive the walk and the process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ddplint.rule import Finding, Fix, Place
from ddplint.source import Range, SourceFile

if TYPE_CHECKING:
    from ddplint.report.replacements import Replacement

__all__ = ["SettledFix", "SettledPlace", "anchor_of", "comment_lines_of", "settled"]


@dataclass(frozen=True)
class SettledPlace(Place):
    """A place whose range is known. ``node`` is ``None``.

    Of a finding's own place it is also known which definitions are around it (``scopes``), its code (``text``), and on
    which lines a comment speaks for it (``heads``).
    """

    span: Range
    scopes: str = ""
    text: str = ""
    heads: tuple[int, ...] = ()

    @property
    def range(self) -> Range:
        """Where it is."""
        return self.span


@dataclass(frozen=True)
class SettledFix(Fix):
    """A fix whose edits are records (as in the JSON format) and replaced stretches of text; ``edits`` is empty."""

    records: tuple[dict[str, Any], ...] = ()
    changes: tuple[Replacement, ...] = ()


def settled(finding: Finding) -> Finding:
    """The finding without any node. Call it where there is stack enough for deep code."""
    return replace(
        finding,
        place=_own_place(finding),
        notes=tuple(replace(note, place=bare(note.place)) for note in finding.notes),
        actions=tuple(
            replace(action, place=None if action.place is None else bare(action.place)) for action in finding.actions
        ),
        fix=None if finding.fix is None else _fix(finding.fix),
    )


def bare(place: Place, span: Range | None = None) -> SettledPlace:
    """A place with nothing but its range."""
    return SettledPlace(place.file, None, span or place.range)  # type: ignore[arg-type]


def at(file: SourceFile, span: Range, scopes: str = "", text: str = "", heads: Iterable[int] = ()) -> SettledPlace:
    """A place from what was kept of it."""
    return SettledPlace(file, None, span, scopes, text, tuple(heads))  # type: ignore[arg-type]


def anchor_of(finding: Finding) -> tuple[str, str, str]:
    """What stays the same about a finding when lines move: its code, the definitions around it, its text."""
    if isinstance(finding.place, SettledPlace):
        return finding.code, finding.place.scopes, finding.place.text
    from ddplint.fixing.verify import anchor

    code, _, scopes, text = anchor(finding)
    return code, scopes, text


def comment_lines_of(place: Place) -> set[int]:
    """The lines on which a comment speaks for a place."""
    if isinstance(place, SettledPlace):
        return set(place.heads)
    from ddplint.suppressions import comment_lines

    return comment_lines(place.file, place.node)


def _own_place(finding: Finding) -> SettledPlace:
    place = finding.place
    if isinstance(place, SettledPlace):
        return place
    _, scopes, text = anchor_of(finding)
    return at(place.file, place.range, scopes, text, sorted(comment_lines_of(place)))


def _fix(fix: Fix) -> SettledFix:
    if isinstance(fix, SettledFix):
        return fix
    from ddplint.report.edits import edit_records
    from ddplint.report.replacements import replacements

    return SettledFix(fix.title, fix.safety, (), tuple(edit_records(fix)), replacements(fix))
