"""Carry out a set of edits on a module. Everything outside them keeps its very bytes."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ddplint.findings.edits import AddImport, Edit, EditError
from ddplint.fixing.code.placing import placed_imports
from ddplint.fixing.edit.diff import line_opcodes, lines_of
from ddplint.fixing.edit.plan import Plan
from ddplint.fixing.edit.rebuild import Rebuild
from ddplint.source.ancestry import tree_of


def apply_edits(module: cst.Module, edits: Iterable[Edit]) -> cst.Module:
    """The module with all ``edits`` carried out.

    The edits must name nodes of ``module``; their ``file`` is not looked at. Several insertions at one
    place keep their order. Raises :class:`EditError` where an edit names a node the module does not
    have, two of them want the same node, or a place cannot take a statement.
    """
    edits = list(edits)
    plan = Plan(tree_of(module))
    for edit in edits:
        if not isinstance(edit, AddImport):
            plan.add(edit)
    for edit in placed_imports(module, [edit for edit in edits if isinstance(edit, AddImport)]):
        plan.add(edit)
    return Rebuild(plan).module(module)


def rewritten(text: str, module: cst.Module, changed: cst.Module) -> str:
    """The text of ``changed``, with the lines it shares with ``module`` as ``text`` has them.

    LibCST loses a few characters (form feeds before a statement, comments after the last line of some files); what it
    lost stays where it was. Raises :class:`EditError` where an edit touches just that.
    """
    before, after = module.code, changed.code
    return after if before == text else _restored(lines_of(text), lines_of(before), lines_of(after))


def _restored(original: list[str], before: list[str], after: list[str]) -> str:
    known = [opcode for opcode in line_opcodes(before, original) if opcode[0] == "equal"]

    def place(line: int) -> int:
        for _, start, end, there, _ in known:
            if start <= line <= end:
                return there + line - start
        raise EditError("the code to be rewritten stands next to characters that cannot be reproduced exactly")

    parts: list[str] = []
    done = 0
    for tag, old, old_end, new, new_end in line_opcodes(before, after):
        if tag != "equal":
            parts += [*original[done : place(old)], *after[new:new_end]]
            done = place(old_end)
    return "".join([*parts, *original[done:]])
