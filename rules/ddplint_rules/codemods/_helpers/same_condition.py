"""Under which further conditions rank 0 comes from a guard to a call, so that the other ranks can ask the same."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.rule import Event, Guard
from ddplint.rule.code import (
    Site,
    assigned_paths,
    called,
    descend,
    is_steady,
    leaving,
    may_read,
    negated,
    reads,
)
from ddplint.rule.fixes import CannotBuild, under_rank_test

_STRAIGHT = (cst.With, cst.IndentedBlock, cst.SimpleStatementSuite, cst.SimpleStatementLine, cst.Else)
_TURNS = (
    cst.For, cst.While, cst.Try, cst.TryStar, cst.ExceptHandler, cst.Finally, cst.Match, cst.MatchCase, cst.IfExp,
    cst.BooleanOperation, cst.BaseComp, cst.Lambda,
)  # fmt: skip
_MAYBE = (
    "other conditions decide too, on the way from the guard to the save, and not all of them can be asked by all ranks"
)


def conditions_after(guard: Guard, event: Event) -> list[cst.BaseExpression]:
    """What must hold besides ``guard`` for its ranks to come to the call of ``event``, as the other ranks may ask it.

    Raises :class:`CannotBuild` where that is not known: an exit, a loop or a ``try`` lies between, or a condition on
    something that only these ranks have.
    """
    depth = min(guard.depth, len(event.stack))
    for frame in event.stack[depth:]:
        site = Site(frame.file, frame.node)
        if _on_the_way(site, site.function):
            raise CannotBuild(_MAYBE)
    frame = event.stack[depth - 1]
    site = Site(frame.file, frame.node)
    asked = _on_the_way(site, guard.statement)
    if asked:
        _check_alike(site, guard, asked)
    return asked


def _on_the_way(site: Site, stop: cst.CSTNode | None) -> list[cst.BaseExpression]:
    """The conditions between ``stop`` (a guard around the node or an exit above it, or its function) and the node."""
    found: list[cst.BaseExpression] = []
    for below, step in site.tree.upward(site.node):
        if step is stop:
            return found
        before = _before(step, below)
        if stop in before:
            before = before[before.index(stop) + 1 :]
            _check_exits(before)
            return found
        _check_exits(before)
        if isinstance(step, cst.If) and below is step.body:
            found.insert(0, step.test)
        elif isinstance(step, cst.If) and below is step.orelse:
            found.insert(0, negated(step.test))
        elif isinstance(step, _TURNS) or (isinstance(step, cst.If) and below is not step.test):
            raise CannotBuild(_MAYBE)
    return found


def _before(step: cst.CSTNode, below: cst.CSTNode) -> list[cst.CSTNode]:
    body = (
        list(getattr(step, "body", ()))
        if isinstance(step, (*_STRAIGHT, cst.Module)) and not isinstance(step, (cst.With, cst.Else))
        else []
    )
    return body[: body.index(below)] if below in body else []


def _check_exits(before: Sequence[cst.CSTNode]) -> None:
    exit_ = leaving(before)
    if exit_:
        raise CannotBuild(f"a {exit_} may come before the save")


def _check_alike(site: Site, guard: Guard, asked: Sequence[cst.BaseExpression]) -> None:
    """Raise :class:`CannotBuild` where other ranks cannot ask the same, or would get another answer."""
    statement = guard.statement
    inside: list[cst.CSTNode] = [statement]
    if not site.tree.contains(statement, site.node):
        block = list(getattr(site.tree.block(statement), "body", ()))
        inside = block[block.index(statement) + 1 :]
    made = assigned_paths(inside)
    methods = any(called(node).startswith("self.") for one in inside for node in descend(one) if node is not site.node)
    for test in asked:
        own = reads(test)
        if not is_steady(site.moved(site.node), test) or any(may_read(made, path) for path in own):
            raise CannotBuild(_MAYBE)
        if methods and any(path.startswith("self.") for path in own):
            raise CannotBuild(_MAYBE)
        if any(_set_on_some(site, path) for path in own):
            raise CannotBuild(_MAYBE)


def _set_on_some(site: Site, path: str) -> bool:
    """Whether something is assigned under a test for the rank."""
    first = path.partition(".")[0]
    found = site.scopes.lookup(first, site.node)
    bound = [binding.node for binding in found[1]] if found is not None else []
    bound += [target for target, _ in site.scopes.attributes.get(path, ())]
    return any(under_rank_test(site, node) for node in bound)
