"""The further places of a root, under the finding that is explained."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ddplint.findings.model import Finding
from ddplint.report.context import Context
from ddplint.report.overview import places
from ddplint.report.roots import Root

_MOST = 6
"""Places that are named before the rest is counted."""


def further(root: Root, context: Context) -> Iterator[str]:
    """A line for the places of which the same is said, and one for each other thing that is said."""
    style = context.style
    most = len(root.findings) if context.verbose else _MOST
    if root.copies:
        yield from _wrapped(f"the same at {places(root.copies, most=most)}", style.width)
    for alike in kinds_of(root.others):
        one = alike[0]
        said = f"{one.severity.value}: {one.code} {style.sayable(one.message)}"
        yield from _wrapped(f"also {said} ({places(alike, most=most)})", style.width)


def kinds_of(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of which the same is said, together."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for one in findings:
        found.setdefault((one.code, one.severity.value, one.message), []).append(one)
    return list(found.values())


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
