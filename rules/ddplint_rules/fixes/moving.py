"""Edits that let every rank run what some ranks keep to themselves, and leave the rest guarded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from ddplint.rule import CHANGES, SENDS, Const, Divergence, Effect, Event, Frame, Walk
from ddplint.rule.code import Site, argument, reads
from ddplint.rule.fixes import (
    CannotBuild,
    Edit,
    call_before,
    hoist_above_exit,
    hoist_out_of_expression,
    hoist_out_of_guard,
    move_above_exit,
)

_OUTSIDE = (
    CHANGES
    | SENDS
    | {Effect.BUILD, Effect.LOG, Effect.OPEN, Effect.TEMPNAME}
    | {Effect.SAVE_ALL_RANKS, Effect.SAVE_ANY, Effect.SET_ENV, Effect.TEARDOWN}
)
"""Effects outside the process: not every rank may have them as well as one."""


def edits_out(divergence: Divergence, frames: Sequence[Frame]) -> tuple[Edit, ...]:
    """The edits that take the calls at ``frames`` out of the guard of a divergence, in the order they stand behind it.

    Raises :class:`CannotBuild` where they cannot leave.
    """
    guard = divergence.guard
    sites = [Site(frame.file, frame.node) for frame in sorted(frames, key=_order)]
    first, *more = sites
    try:
        return _edits(divergence, guard.statement, first, more)
    except CannotBuild as reason:
        raise CannotBuild(f"let every rank come to `{callee(frames[0])}`: {reason}") from None


def _order(frame: Frame) -> int:
    site = Site(frame.file, frame.node)
    return site.tree.order(frame.node)


def _edits(divergence: Divergence, holder: cst.CSTNode, site: Site, more: Sequence[Site]) -> tuple[Edit, ...]:
    if isinstance(holder, (cst.IfExp, cst.BooleanOperation)) and site.tree.contains(holder, site.node):
        if more:
            raise CannotBuild("several operations stand in one expression")
        if isinstance(site.tree.parent(holder), cst.Expr):
            return hoist_out_of_expression(site, holder)
        return call_before(site, holder)
    if not isinstance(holder, cst.If):
        raise CannotBuild("the ranks part in a way that cannot be taken apart")
    inside = [site.tree.contains(holder, one.node) for one in (site, *more)]
    if not any(inside):
        return _above_exit(site, holder, more)
    if not all(inside):
        raise CannotBuild("further operations follow after the guard")
    return hoist_out_of_guard(
        site, holder, differs=_differs(divergence, site, holder), received=_received(divergence), more=more
    )


def _differs(divergence: Divergence, site: Site, holder: cst.If) -> list[cst.BaseExpression]:
    """The parts of the condition that differ by rank, as far as the walk names them."""
    nodes = [divergence.guard.node, *(origin.node for origin in divergence.guard.origins)]
    own = [node for node in nodes if isinstance(node, cst.BaseExpression) and node in site.tree]
    return [node for node in own if node is not holder.test and site.tree.contains(holder.test, node)]


def _above_exit(site: Site, guard: cst.If, more: Sequence[Site]) -> tuple[Edit, ...]:
    """The smaller rewrite first: the operation goes above the exit, or what follows the exit goes under a guard."""
    try:
        return move_above_exit(site, guard, more=more)
    except CannotBuild as reason:
        try:
            return hoist_above_exit(site, guard, more=more)
        except CannotBuild:
            raise reason from None


def _received(divergence: Divergence) -> set[str]:
    """What a broadcast from a guarded rank overwrites on the others."""
    event, call = divergence.event, divergence.anchor.node
    if event.api is None or event.node is not call or not isinstance(call, cst.Call):
        return set()
    api = event.api
    if "broadcast" not in event.name or not api.uniform.startswith("arg:") or _root(event) not in event.ranks:
        return set()
    given = argument(call, api.uniform_arg, int(api.uniform[4:]))
    return reads(given) if given is not None else set()


def _root(event: Event) -> object:
    """The root rank of a rooted collective; 0 where it is not given, ``None`` where it is not known."""
    assert event.api is not None
    given = event.api.root.of(event.args, event.kwargs)
    if given is None:
        return 0
    return given.value if isinstance(given, Const) else None


def has_outside_effect(frame: Frame, but: Iterable[Event], walks: Iterable[Walk]) -> bool:
    """Whether something under the call at ``frame`` writes, deletes, downloads or the like; ``but`` does not count."""
    known = {event.node for event in but}
    acting = (event for walk in walks for event in walk.doing(*_OUTSIDE))
    return any(step.node is frame.node for event in acting if event.node not in known for step in event.stack)


def callee(frame: Frame) -> str:
    """What a frame calls, short enough for a sentence: ``dist.barrier()``, ``evaluate(…)``."""
    if frame.call is None:
        return " ".join(frame.file.module.code_for_node(frame.node).split())
    name = " ".join(frame.file.module.code_for_node(frame.call.func).split())
    return f"{name}(…)" if frame.call.args else f"{name}()"
