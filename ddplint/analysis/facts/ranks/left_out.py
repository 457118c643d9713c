"""Parameters that a caller may leave out, asked themselves where something else stands in for them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.source.ancestry import descend, nodes_of

_EQUAL = (cst.Equal, cst.NotEqual)
_NONE = (cst.Is, cst.IsNot)
_PARTS = (cst.Attribute, cst.Subscript)


def stands_in(site: Site, node: cst.CSTNode) -> cst.Call | None:
    """The call whose answer stands in for a parameter left out, where the parameter itself is compared with a number.

    ``self.rank = rank if rank is not None else get_rank()``, and then ``if rank == 0:``: ``None`` is no number. Where
    the function asks elsewhere whether it was given, or gives it another value, it knows what it compares.
    """
    function = site.function
    if function is None or not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return None
    asked = node.left
    operator, number = node.comparisons[0].operator, node.comparisons[0].comparator
    if not isinstance(operator, _EQUAL) or not isinstance(number, cst.Integer) or not isinstance(asked, cst.Name):
        return None
    name = asked.value
    if name not in _may_be_left_out(function) or _is_set_anew(function, name):
        return None
    tests = [one for one in nodes_of(function, cst.Comparison) if _asks_for(one, name)]
    choices = [one for one in nodes_of(function, cst.IfExp) if any(one.test is test for test in tests)]
    if len(choices) != len(tests) or not choices:
        return None
    return _other(choices[0], name) if site.tree.order(choices[0]) < site.tree.order(node) else None


def _may_be_left_out(function: cst.FunctionDef) -> set[str]:
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return {one.name.value for one in every if isinstance(one.default, cst.Name) and one.default.value == "None"}


def _is_set_anew(function: cst.FunctionDef, name: str) -> bool:
    return any(
        isinstance(part, cst.Name) and part.value == name for target in _targets(function) for part in descend(target)
    )


def _targets(function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    for step in descend(function.body):
        if isinstance(step, cst.Assign):
            yield from (
                one.target for one in step.targets if not isinstance(one.target, (cst.Attribute, cst.Subscript))
            )
        elif isinstance(step, (cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.CompFor)):
            yield step.target
        elif isinstance(step, cst.AsName):
            yield step.name


def _asks_for(test: cst.Comparison, name: str) -> bool:
    """Whether it is ``name is None``, or ``is not``."""
    (target, *more) = test.comparisons
    none = isinstance(target.comparator, cst.Name) and target.comparator.value == "None"
    return none and not more and isinstance(target.operator, _NONE) and _is_name(test.left, name)


def _is_name(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _other(choice: cst.IfExp, name: str) -> cst.Call | None:
    """What is taken in the place of ``name``, if it is what a call gives."""
    sides = (choice.body, choice.orelse)
    calls = [one for one in sides if isinstance(one, cst.Call)]
    return calls[0] if len(calls) == 1 and any(_is_name(one, name) for one in sides) else None
