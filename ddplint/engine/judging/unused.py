"""Findings in functions that nothing calls: of a program, what no way of it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.findings.model import Finding, Fold

if TYPE_CHECKING:
    from ddplint.analysis.trace.events import Walk


def told_apart(findings: Sequence[Finding], walks: Sequence[Walk]) -> list[Finding]:
    """The findings of one file; those carry a mark that only walks of functions came to which nothing names."""
    idle = [walk for walk in walks if _is_idle(walk)]
    if not idle:
        return list(findings)
    used = set(_nodes(walk for walk in walks if walk not in idle))
    unused = set(_nodes(idle)) - used
    return [replace(one, fold=Fold.UNCALLED) if _lies_in(one, unused, used) else one for one in findings]


def _is_idle(walk: Walk) -> bool:
    """Whether nothing calls the entry: no text of the project names it, and no framework can know it.

    A framework calls methods by the names that its own classes give them.
    """
    if not walk.uncalled or walk.hook or not walk.events:
        return False
    entry = walk.events[0].stack[0].node
    owner = next((node for node in walk.file.ancestors(entry) if isinstance(node, cst.ClassDef)), None)
    return isinstance(entry, cst.FunctionDef) and (owner is None or not owner.bases)


def _nodes(walks: Iterable[Walk]) -> Iterator[cst.CSTNode]:
    for walk in walks:
        for event in walk.events:
            yield from (frame.node for frame in event.stack)


def _lies_in(finding: Finding, unused: set[cst.CSTNode], used: set[cst.CSTNode]) -> bool:
    """Whether a place was met on such walks alone, or lies in such an entry."""
    node = finding.place.node
    if node in used:
        return False
    return node in unused or any(above in unused for above in finding.place.file.ancestors(node))
