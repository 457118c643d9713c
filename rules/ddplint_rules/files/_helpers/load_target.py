"""Where a loaded checkpoint goes."""

from __future__ import annotations

import re

import libcst as cst

from ddplint.rule import Event
from ddplint.rule.code import Site, last_part, own_nodes

_RESTORES = frozenset({"load_state_dict", "load_model_state_dict", "set_model_state_dict"})
_COUNTS = re.compile(r"sampler|sched|loader|scaler|meter|rng", re.IGNORECASE)
"""Names of what keeps a few numbers, and no tensors on a device."""


def goes_into_state(event: Event) -> bool:
    """Whether what a call loads, or what is taken from it, is handed to ``load_state_dict`` in this function."""
    site = Site(event.file, event.node)
    inside = site.function if site.function is not None else site.module
    names = _assigned(site.statement)
    for node in own_nodes(inside):
        names |= _filled(node, names)
        if isinstance(node, cst.Call) and last_part(node.func) in _RESTORES and not _counts(node.func):
            for argument in node.args:
                if site.tree.contains(argument, event.node) or names & _names(argument):
                    return True
    return False


def _filled(node: cst.CSTNode, names: frozenset[str]) -> frozenset[str]:
    """The variables that a step fills from these: ``weights = checkpoint["model"]``, ``state.update(weights)``."""
    if isinstance(node, cst.Assign) and names & _names(node.value):
        return frozenset(part.target.value for part in node.targets if isinstance(part.target, cst.Name))
    if not isinstance(node, cst.Call) or not any(names & _names(argument) for argument in node.args):
        return frozenset()
    called = node.func
    if not isinstance(called, cst.Attribute) or called.attr.value != "update":
        return frozenset()
    return frozenset({called.value.value}) if isinstance(called.value, cst.Name) else frozenset()


def _counts(function: cst.BaseExpression) -> bool:
    owner = function.value if isinstance(function, cst.Attribute) else function
    return _COUNTS.search(last_part(owner)) is not None


def _assigned(statement: cst.CSTNode) -> frozenset[str]:
    only = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(only, cst.Assign):
        return frozenset()
    return frozenset(part.target.value for part in only.targets if isinstance(part.target, cst.Name))


def _names(node: cst.CSTNode) -> frozenset[str]:
    found: set[str] = set()
    stack = [node]
    while stack:
        step = stack.pop()
        if isinstance(step, cst.Name):
            found.add(step.value)
        stack.extend([step.value] if isinstance(step, (cst.Attribute, cst.Arg)) else step.children)
    return frozenset(found)
