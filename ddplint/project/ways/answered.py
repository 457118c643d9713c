"""Questions on a way that the next call on it answers: ``if download:``, and the caller leaves that at its default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from ddplint.source.ancestry import Tree, nodes_of
from ddplint.source.calls import argument
from ddplint.source.tree import code_of

Asked = tuple[str, bool]
"""A parameter that is asked as it is, and the answer that a place wants."""


def is_refused(tree: Tree, place: cst.CSTNode, call: cst.Call, bound: int) -> bool:
    """Whether what a call gives the function around a place keeps it from coming there.

    Parameters: ``tree``, of the file of ``place``; ``call``, one of that function; ``bound``, how many parameters are
    given before its arguments (``self``).
    """
    function = tree.function(place)
    if function is None or any(arg.star for arg in call.args):
        return False
    params = [*function.params.posonly_params, *function.params.params]
    rest = {one.name.value: (one, -1) for one in function.params.kwonly_params}
    known = {**rest, **{one.name.value: (one, at - bound) for at, one in enumerate(params)}}
    for name, wanted in _asked(tree, place, function):
        if name not in known or _is_set(function, name):
            continue
        param, at = known[name]
        given = argument(call, name, at if at >= 0 else None)
        truth = _truth(given if given is not None else param.default)
        if truth is not None and truth != wanted:
            return True
    return False


def _asked(tree: Tree, place: cst.CSTNode, function: cst.FunctionDef) -> Iterator[Asked]:
    for inner, step in tree.upward(place):
        if step is function:
            return
        if isinstance(step, (cst.If, cst.IfExp)) and inner is not step.test:
            yield from _parts(step.test, inner is step.body)


def _parts(test: cst.BaseExpression, wanted: bool) -> Iterator[Asked]:
    """The parameters that must be, or must not be, for a test to have an answer."""
    if isinstance(test, cst.Name):
        yield test.value, wanted
    elif isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        yield from _parts(test.expression, not wanted)
    elif isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And if wanted else cst.Or):
        yield from _parts(test.left, wanted)
        yield from _parts(test.right, wanted)


def _is_set(function: cst.FunctionDef, name: str) -> bool:
    """Whether a function gives its parameter another value; what it sets on objects has names of its own."""
    targets: list[cst.BaseExpression] = [one.target for one in nodes_of(function, cst.AssignTarget)]
    targets += [one.target for one in nodes_of(function, cst.AugAssign)]
    targets += [one.target for one in nodes_of(function, cst.AnnAssign)]
    targets += [one.target for one in nodes_of(function, cst.NamedExpr)]
    fields = {id(one.attr) for target in targets for one in nodes_of(target, cst.Attribute)}
    return any(one.value == name and id(one) not in fields for to in targets for one in nodes_of(to, cst.Name))


def _truth(value: cst.BaseExpression | None) -> bool | None:
    """Whether a constant counts as true; ``None`` where it is no constant."""
    try:
        return None if value is None else bool(ast.literal_eval(code_of(value)))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
