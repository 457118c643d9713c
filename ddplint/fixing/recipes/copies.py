"""Further copies of code that a fix changes, at places that no walk came by: they may need the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import libcst as cst

from ddplint.analysis.trace.presence import Presence
from ddplint.findings.model import Finding, Note, Place
from ddplint.source.ancestry import tree_of
from ddplint.source.file import SourceFile

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
    found = list(islice(_copies(file, statement, line, presence), _MOST))
    text = "the same code, and no walk came by here: it may need the same"
    notes = tuple(Note("related", Place(file, one), text) for one in found)
    return replace(finding, notes=(*finding.notes, *notes))


def _copies(file: SourceFile, statement: cst.CSTNode, line: str, presence: Presence) -> Iterator[cst.CSTNode]:
    if isinstance(statement, cst.SimpleStatementLine):
        text = _text(file.module, statement)
        for other in tree_of(file.module).nodes(cst.SimpleStatementLine):
            if other is statement or id(other) in presence.seen:
                continue
            if file.lines[file.range_of(other).start_line - 1].strip() != line:
                continue  # writing out a node takes long: first the line where it begins
            if _text(file.module, other) == text:
                yield other


def _text(module: cst.Module, line: cst.SimpleStatementLine) -> str:
    return module.code_for_node(line.with_changes(leading_lines=[])).strip()
