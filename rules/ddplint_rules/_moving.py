"""The fix of the rules about guarded operations: let every rank run the operation, leave the rest guarded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.fixing.builders import (
    CannotBuild,
    Edit,
    Site,
    call_before,
    hoist_above_exit,
    hoist_out_of_expression,
    hoist_out_of_guard,
    move_above_exit,
)
from ddplint.fixing.depends import reads
from ddplint.rule import Const, Divergence, Event, Fix, Frame, Safety, Walk

__all__ = ["Answer", "moved_out"]

_QUIET = frozenset({"collective", "local_value", "init", "rank", "read", "exists"})
"""Effects that every rank may have as well as one: they change nothing outside the process."""

_COMPUTE = frozenset({"forward", "backward", "step", "construct"})


@dataclass(frozen=True)
class Answer:
    """A fix, or in one sentence what a person should do."""

    fix: Fix | None = None
    no_fix: str = ""


def moved_out(divergence: Divergence, walks: Iterable[Walk]) -> Answer:
    """How the operation of a divergence leaves its guard, together with nothing else.

    Parameters: ``walks``, all walks of the file, to see what else a called helper does on the guarded ranks.
    """
    guard, anchor = divergence.guard, divergence.anchor
    event = divergence.sides[0].event
    assert event is not None
    if anchor.file is not guard.file or anchor.node not in _tree(anchor):
        return Answer(no_fix=f"let every rank come to `{_text(anchor)}`")
    beside = _beside(anchor, event, walks)
    if any(other.effect not in _QUIET | _COMPUTE for other in beside):
        return Answer(no_fix=_advice(anchor, event))
    safety = Safety.UNSAFE if any(other.effect in _COMPUTE for other in beside) else Safety.SAFE
    try:
        edits = _edits(divergence)
    except CannotBuild as reason:
        return Answer(no_fix=f"let every rank come to `{_text(anchor)}`: {reason}")
    return Answer(Fix(f"Let every rank call `{_text(anchor)}`", safety, edits))


def _edits(divergence: Divergence) -> tuple[Edit, ...]:
    guard, anchor = divergence.guard, divergence.anchor
    site = Site(anchor.file, anchor.node)
    holder = guard.statement
    if isinstance(holder, (cst.IfExp, cst.BooleanOperation)) and site.tree.contains(holder, anchor.node):
        if isinstance(site.tree.parent(holder), cst.Expr):
            return hoist_out_of_expression(site, holder)
        return call_before(site, holder)
    if not isinstance(holder, cst.If):
        raise CannotBuild("the ranks part in a way that cannot be taken apart")
    if not site.tree.contains(holder, anchor.node):
        return _above_exit(site, holder)
    differs = [guard.node, *(origin.node for origin in guard.origins)]
    own = [node for node in differs if isinstance(node, cst.BaseExpression) and node in site.tree and node is not holder.test]
    inside = [node for node in own if site.tree.contains(holder.test, node)]
    return hoist_out_of_guard(site, holder, differs=inside, received=_received(divergence))


def _above_exit(site: Site, guard: cst.If) -> tuple[Edit, ...]:
    """The smaller rewrite first: the operation goes above the exit, or what follows the exit goes under a guard."""
    try:
        return move_above_exit(site, guard)
    except CannotBuild as reason:
        try:
            return hoist_above_exit(site, guard)
        except CannotBuild:
            raise reason from None


def _received(divergence: Divergence) -> set[str]:
    """What a broadcast from a guarded rank overwrites on the others."""
    event = divergence.sides[0].event
    call = divergence.anchor.node
    if event is None or event.node is not call or not isinstance(call, cst.Call) or not event.api or not call.args:
        return set()
    api = event.api
    root = event.kwargs.get(api.root_arg) or (event.args[api.root_pos] if api.root_pos is not None and len(event.args) > api.root_pos else None)
    rank = 0 if root is None else root.value if isinstance(root, Const) else None
    if "broadcast" not in event.name or not api.uniform.startswith("arg:") or rank not in event.ranks:
        return set()
    place = int(api.uniform[4:])
    return reads(call.args[place].value) if place < len(call.args) and call.args[place].keyword is None else set()


def _beside(anchor: Frame, event: Event, walks: Iterable[Walk]) -> list[Event]:
    """What else happens under the call at ``anchor``, on any way through it."""
    return [other for other in _under(anchor, walks) if other.node is not event.node]


def _under(anchor: Frame, walks: Iterable[Walk]) -> Iterator[Event]:
    for walk in walks:
        for event in walk.events:
            if any(frame.node is anchor.node for frame in event.stack):
                yield event


def _advice(anchor: Frame, event: Event) -> str:
    what = "a collective" if event.effect == "collective" else f"the {event.label}"
    return f"`{_text(anchor)}` does more than communicate: guard the rest inside it and let every rank come to {what}"


def _text(frame: Frame) -> str:
    """The callee of a call, short enough for a sentence."""
    node = frame.node.func if isinstance(frame.node, cst.Call) else frame.node
    text = " ".join(frame.file.module.code_for_node(node).split())
    return f"{text}(…)" if isinstance(frame.node, cst.Call) and frame.node.args else f"{text}()" if isinstance(frame.node, cst.Call) else text


def _tree(frame: Frame) -> object:
    return Site(frame.file, frame.node).tree
