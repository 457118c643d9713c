"""Places with known ranges and fixes with known texts: they need no tree, so they outlive the walk and the process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ddplint.findings.model import Finding, Fix, Place
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range


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
class Replacement:
    """``text`` takes the place of a stretch of ``file`` (nothing, where it is empty) as it was read."""

    file: SourceFile
    range: Range
    text: str


@dataclass(frozen=True)
class SettledFix(Fix):
    """A fix whose edits are records (as in the JSON format) and replaced stretches of text; ``edits`` is empty."""

    records: tuple[dict[str, Any], ...] = ()
    changes: tuple[Replacement, ...] = ()


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
    from ddplint.findings.anchors import anchor

    code, _, scopes, text = anchor(finding)
    return code, scopes, text
