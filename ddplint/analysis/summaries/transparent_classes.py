"""Classes of the project that add nothing to a library's: their objects are the library's own."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.values import Class, External
from ddplint.analysis.memory.protocol import Interp


def loader_below(w: Interp, cls: Class) -> External | None:
    """The library's loader that a class stands for: it has no other base, and at most hands its batches on."""
    base = w.state.narrow(cls.bases[0]) if len(cls.bases) == 1 else None
    if not isinstance(base, External):
        return None
    row = w.knowledge.lookup(base.name)
    if row is None or row.kind != "loader" or row.form != "class":
        return None
    return base if all(map(_adds_nothing, cls.node.body.body)) else None


def _adds_nothing(member: cst.CSTNode) -> bool:
    """Whether a member is a docstring, ``pass``, or an ``__iter__`` that puts something around the inherited one."""
    if isinstance(member, cst.SimpleStatementLine):
        return all(isinstance(part, (cst.Expr, cst.Pass)) for part in member.body)
    if isinstance(member, cst.Pass):  # class Loader(DataLoader): pass
        return True
    if not isinstance(member, cst.FunctionDef) or member.name.value != "__iter__":
        return False
    simple = (cst.SimpleStatementLine,)  # a loop or a branch is one line, whatever it holds
    lines = [part for line in member.body.body for part in (line.body if isinstance(line, simple) else (line,))]
    last = lines[-1] if lines else None
    given = last.value if isinstance(last, cst.Return) else None
    shown = all(isinstance(part, cst.Expr) and isinstance(part.value, cst.SimpleString) for part in lines[:-1])
    return shown and isinstance(given, cst.Call) and (_inherited(given) or any(_inherited(a.value) for a in given.args))


def _inherited(node: cst.CSTNode) -> bool:
    """``super().__iter__()``, as it is or with the arguments of Python 2."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or node.func.attr.value != "__iter__":
        return False
    owner = node.func.value
    return isinstance(owner, cst.Call) and isinstance(owner.func, cst.Name) and owner.func.value == "super"
