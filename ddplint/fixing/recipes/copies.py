"""Further copies of code that a fix changes, at places that no walk came by: they may need the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.findings.model import Finding, Note, Place
from ddplint.source.ancestry import tree_of

if TYPE_CHECKING:
    from ddplint.analysis.domain.presence import Presence


__all__ = ["with_copies"]

_LEAST = 20
"""Characters: shorter lines are alike without being copies."""
_MOST = 5


def with_copies(finding: Finding, presence: Presence | None) -> Finding:
    """The finding with notes on the copies of its statement that were not walked."""
    file, node = finding.place.file, finding.place.node
    if finding.fix is None or presence is None or node not in tree_of(file.module):
        return finding
    statement = tree_of(file.module).statement(node)
    line = file.lines[file.range_of(statement).start_line - 1].strip()
    if len(line) < _LEAST or sum(one.strip() == line for one in file.lines) < 2:
        return finding
    found = [one for one in _copies(file.module, statement) if id(one) not in presence.seen][:_MOST]
    text = "the same code, and no walk came by here: it may need the same"
    notes = tuple(Note("related", Place(file, one), text) for one in found)
    return replace(finding, notes=(*finding.notes, *notes))


def _copies(module: cst.Module, statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(statement, cst.SimpleStatementLine):
        for other in tree_of(module).nodes(cst.SimpleStatementLine):
            if other is not statement and _text(module, other) == _text(module, statement):
                yield other


def _text(module: cst.Module, line: cst.SimpleStatementLine) -> str:
    return module.code_for_node(line.with_changes(leading_lines=[])).strip()
