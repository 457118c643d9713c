"""Functions in functions, and methods of classes in functions: whether they are handed out, so that some call them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.values import EVERYONE, Function
from ddplint.project.modules import Project
from ddplint.project.visits import MADE, NAMED
from ddplint.source.tree import FunctionNode, children

_Definition = cst.FunctionDef | cst.ClassDef


def is_handed_out(project: Project, function: Function) -> bool:
    """Whether all ranks hand a function in a function to somebody: by its name, or to what decorates it.

    Of a method, whether all make an object of its class.
    """
    if function.owner is not None:
        return project.ranks(MADE, function.owner.node) == EVERYONE
    return isinstance(function.node, cst.FunctionDef) and _is_named(project, function.node)


def hands_out(project: Project, node: FunctionNode) -> bool:
    """Whether all ranks have handed out what is defined in a function, and some of that was never run."""
    return any(_is_left(project, one) for one in _defined_in(node.body))


def _is_left(project: Project, one: _Definition) -> bool:
    if isinstance(one, cst.FunctionDef):
        return _is_named(project, one) and not project.has_run(one)
    methods = (part for part in one.body.body if isinstance(part, cst.FunctionDef))
    return project.ranks(MADE, one) == EVERYONE and not all(map(project.has_run, methods))


def _is_named(project: Project, node: cst.FunctionDef) -> bool:
    return bool(node.decorators) or project.ranks(NAMED, node) == EVERYONE


def _defined_in(body: cst.CSTNode) -> Iterator[_Definition]:
    for part in children(body):
        if isinstance(part, (cst.FunctionDef, cst.ClassDef)):
            yield part
        else:
            yield from _defined_in(part)
