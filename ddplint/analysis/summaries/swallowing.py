"""What ``__exit__`` of a class takes, so that the program goes on behind the ``with``."""

from __future__ import annotations

import builtins

import libcst as cst

from ddplint.source.ancestry import nodes_of

_EVERYTHING = "BaseException"


def swallowed_by(leave: cst.FunctionDef) -> str:
    """The builtin exception that an ``__exit__`` takes: by its one ``return``, at its end; empty where that is open."""
    returns = list(nodes_of(leave.body, cst.Return, into_functions=False))
    last = leave.body.body[-1]
    at_end = isinstance(last, cst.SimpleStatementLine) and last.body[-1] in returns
    names = [one.name.value for one in leave.params.params]
    if len(returns) != 1 or not at_end or len(names) != 4 or returns[0].value is None:
        return ""
    return _taken(returns[0].value, names[1], names[2])


def _taken(says: cst.BaseExpression, kind: str, value: str) -> str:
    if isinstance(says, cst.BooleanOperation) and isinstance(says.operator, cst.And):
        found = {_taken(says.left, kind, value), _taken(says.right, kind, value)}
        narrow = found - {_EVERYTHING}
        return narrow.pop() if len(narrow) == 1 else _EVERYTHING if not narrow else ""
    if isinstance(says, cst.Name):
        return _EVERYTHING if says.value == "True" else ""
    if isinstance(says, cst.Call):
        return _tested(says, {"issubclass": kind, "isinstance": value})
    return _compared(says, kind, value) if isinstance(says, cst.Comparison) else ""


def _tested(says: cst.Call, tests: dict[str, str]) -> str:
    given = [_name(arg.value) for arg in says.args]
    asked = len(given) == 2 and tests.get(_name(says.func)) == given[0]
    return given[1] if asked and _is_exception(given[1]) else ""


def _compared(says: cst.Comparison, kind: str, value: str) -> str:
    left, target = _name(says.left), says.comparisons[0]
    right = _name(target.comparator)
    if isinstance(target.operator, cst.IsNot):
        return _EVERYTHING if left in (kind, value) and right == "None" else ""
    same = isinstance(target.operator, (cst.Is, cst.Equal)) and left == kind
    return right if same and _is_exception(right) else ""


def _name(node: cst.BaseExpression) -> str:
    return node.value if isinstance(node, cst.Name) else ""


def _is_exception(name: str) -> bool:
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, BaseException)
