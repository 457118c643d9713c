"""Wrapped models that have a name in front of a loop."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.rule import Effect, Event, Frame, LoopFrame, Walk
from ddplint.rule.code import Site, assigned_paths, dotted


def made_before(site: Site, event: Event) -> str:
    """The name of the wrapped model in front of the loop, where it is made in the same function."""
    wrapped = event.model_behind("ddp")
    if wrapped is None:
        return ""
    made = wrapped.site.node if isinstance(wrapped.site, Frame) else wrapped.site
    if not isinstance(made, cst.Call) or made not in site.tree:
        return ""
    statement = site.tree.parent(made)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    if not isinstance(target, cst.Name) or not is_at_hand(site, made, target.value):
        return ""
    return target.value


def called_inside(loop: LoopFrame, walks: Sequence[Walk]) -> str:
    """What the loop calls that is a wrapped model, where nothing in the loop gives its name another meaning."""
    site = Site(loop.file, loop.node)
    bound = {path.partition(".")[0] for path in assigned_paths([loop.node])} - {"self"}
    passes = [event for walk in walks for event in walk.doing(Effect.FORWARD)]
    for event in passes:
        call = event.call
        if call is None or call not in site.tree or site.moved(call).function is not site.function:
            continue
        inside = any(one.node is loop.node for one in event.loops)
        name = dotted(call.func) if inside and event.by_all else ""
        always = all(one.model_behind("ddp") is not None for one in passes if one.node is call)
        if name and always and name.partition(".")[0] not in bound:
            return name
    return ""


def is_at_hand(site: Site, made: cst.CSTNode, name: str) -> bool:
    """Whether a name that stands in a statement above the loop, in the same block, still means the same there."""
    here = site.moved(made).function is site.function and site.tree.order(made) < site.tree.order(site.node)
    block = list(getattr(site.tree.block(site.node), "body", ()))
    above = block[: block.index(site.node)] if site.node in block else []
    return here and any(site.tree.contains(one, made) for one in above) and bool(name)
