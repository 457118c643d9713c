"""Wrappers that are lost: dropped at once, or taken off again under the same name."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.shape import dotted
from ddplint.fixing.tree import descend, tree_of
from ddplint.rule import Event, Place

__all__ = ["is_dropped", "rebound"]


def is_dropped(made: Event) -> bool:
    """Whether what a wrapper's construction gives is not kept."""
    tree = tree_of(made.file.module)
    return made.node in tree and isinstance(tree.parent(made.node), cst.Expr)


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
