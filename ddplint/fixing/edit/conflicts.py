"""Which fixes touch the same code and must not be applied in one go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.findings.edits import AddImport, Edit, InsertAfter, InsertBefore, Replace
from ddplint.findings.model import Finding
from ddplint.source.ancestry import Tree, tree_of


@dataclass(frozen=True, eq=False)
class _Print:
    """What an edit touches: the code of ``node``, or only the seam at it (``side`` of ``seam``)."""

    tree: Tree
    node: cst.CSTNode
    side: str = ""
    seam: cst.CSTNode | None = None


def chosen(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, in order, whose fixes do not touch what the fix of an earlier one touches.

    The others wait for the next round, when the first fixes are in and the program has been walked again. So do those
    that decide by the same value as another one: once ranks have agreed on it, they may have agreed everywhere.
    """
    findings = list(findings)
    taken: list[_Print] = []
    out: list[Finding] = []
    nearest = _nearest(findings)
    for finding in findings:
        prints = _prints(finding.fix.edits) if finding.fix is not None else []
        if nearest.get(_value_of(finding), finding) is not finding:
            continue
        if finding.fix is not None and not any(_meet(one, other) for one in prints for other in taken):
            taken += prints
            out.append(finding)
    return out


def _nearest(findings: Sequence[Finding]) -> dict[_Value | None, Finding]:
    """For each value by which ranks decide, the finding that stands where it comes from, or else the first one."""
    found: dict[_Value | None, Finding] = {}
    for finding in (one for one in findings if one.fix is not None):
        value = _value_of(finding)
        if value is not None and (value not in found or _is_at(finding, value)):
            found[value] = finding
    return found


_Value = tuple[str, str, int, int]


def _value_of(finding: Finding) -> _Value | None:
    """The rule, and the place that a value comes from by which each rank decides for itself."""
    notes = {note.role: note.place for note in reversed(finding.notes)}
    if finding.outcome is None or "guard" in notes or "origin" not in notes:
        return None
    place = notes["origin"]
    return finding.code, place.file.path, place.range.start_line, place.range.start_col


def _is_at(finding: Finding, value: _Value) -> bool:
    _, path, *start = value
    where = finding.place.range
    first, last = [where.start_line, where.start_col], [where.end_line, where.end_col]
    return finding.place.file.path == path and first <= start <= last


def overlap(one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    """Whether two sets of edits touch the same code, one inside the other, or insert at the same place."""
    return any(_meet(left, right) for left in _prints(one) for right in _prints(other))


def _prints(edits: Sequence[Edit]) -> list[_Print]:
    return [_print(edit) for edit in edits if not isinstance(edit, AddImport)]


def _print(edit: Edit) -> _Print:
    assert not isinstance(edit, AddImport)
    tree = tree_of(edit.file.module)
    if isinstance(edit, Replace):
        return _Print(tree, edit.node)
    if isinstance(edit, InsertBefore):
        return _Print(tree, edit.statement, "before", edit.statement)
    if isinstance(edit, InsertAfter):
        below = _next(tree, edit.statement)
        return _Print(tree, edit.statement, *(("after", edit.statement) if below is None else ("before", below)))
    return _Print(tree, edit.statement)


def _next(tree: Tree, statement: cst.CSTNode) -> cst.CSTNode | None:
    """The statement below, so that "after this one" and "before the next one" are the same place."""
    holder = tree.parent(statement) if statement in tree else None
    if isinstance(holder, cst.SimpleStatementLine) and len(holder.body) == 1:
        statement, holder = holder, tree.parent(holder)
    body = list(getattr(holder, "body", ()) if holder is not None else ())
    for place, one in enumerate(body[:-1]):
        if one is statement:
            return body[place + 1]  # type: ignore[no-any-return]
    return None


def _meet(one: _Print, other: _Print) -> bool:
    if one.tree is not other.tree or one.node not in one.tree or other.node not in one.tree:
        return False
    if one.seam is not None and other.seam is not None:
        return one.side == other.side and _same(one.tree, one.seam, other.seam)
    if one.side or other.side:
        seam, code = (one, other) if one.side else (other, one)
        return one.tree.contains(code.node, seam.node)
    return one.tree.contains(one.node, other.node) or one.tree.contains(other.node, one.node)


def _same(tree: Tree, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """A line and its only statement are the same place."""
    return one is other or tree.parent(one) is other or tree.parent(other) is one
