"""Wrappers that are lost: dropped at once, or taken off again under the same name."""

from __future__ import annotations

import libcst as cst

from ddplint.rule import Const, Effect, Event, Place, Walk
from ddplint.rule.code import descend, dotted, tree_of


def dropped(walk: Walk) -> list[Event]:
    """Where a model is wrapped, and what that gives is not kept; a group of one process has nothing to reduce.

    A function that keeps a wrapper elsewhere knows what it does: making one broadcasts the weights, and that is all
    that a model wants in which nothing is trained.
    """
    alone = any(event.effect == Effect.INIT and event.kwargs.get("world_size") == Const(1) for event in walk.events)
    keeping = {_around(event) for event in _wrapping(walk) if not _is_dropped(event)} - {None}
    found = (event for event in _wrapping(walk) if _is_dropped(event) and not alone)
    return [event for event in found if _around(event) not in keeping]


def _around(event: Event) -> cst.FunctionDef | None:
    tree = tree_of(event.file.module)
    return tree.function(event.node) if event.node in tree else None


def none_kept(walk: Walk) -> bool:
    """Whether every model that is wrapped is lost at once."""
    wrapping = _wrapping(walk)
    return bool(wrapping) and all(_is_dropped(event) for event in wrapping)


def _wrapping(walk: Walk) -> list[Event]:
    return [event for event in walk.doing(Effect.CONSTRUCT) if event.makes("ddp", "fsdp")]


def _is_dropped(made: Event) -> bool:
    tree = tree_of(made.file.module)
    return made.node in tree and isinstance(tree.parent(made.node), cst.Expr)


def unread(walk: Walk) -> Event | None:
    """Where a model is wrapped, if what that gives is kept under a name that its file has nowhere else."""
    wrapping = _wrapping(walk)
    return wrapping[0] if len(wrapping) == 1 and _is_unread(wrapping[0]) else None


def _is_unread(made: Event) -> bool:
    tree = tree_of(made.file.module)
    assign = tree.parent(made.node) if made.node in tree else None
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return False
    target = assign.targets[0].target
    if isinstance(target, cst.Attribute):
        name, others = target.attr.value, [node for node in tree.nodes(cst.Attribute) if node is not target]
        asked = any(f"{quote}{name}{quote}" in made.file.text for quote in "\"'")
        return not asked and all(node.attr.value != name for node in others)
    return isinstance(target, cst.Name) and all(
        node.value != target.value for node in tree.nodes(cst.Name) if node is not target
    )


def rebound(event: Event) -> Place | None:
    """``model = model.module`` above a call past the wrapper, in a function of its call stack."""
    for frame in reversed(event.stack):
        tree = tree_of(frame.file.module)
        if frame.node not in tree:
            continue
        function = tree.function(frame.node)
        for node in descend(function or tree.module, into_functions=False):
            if isinstance(node, cst.Assign) and _takes_off(node) and tree.order(node) < tree.order(frame.node):
                return Place(frame.file, node)
    return None


def _takes_off(node: cst.Assign) -> bool:
    value = node.value
    names = {dotted(target.target) for target in node.targets}
    return isinstance(value, cst.Attribute) and value.attr.value == "module" and dotted(value.value) in names
