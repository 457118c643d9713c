"""What becomes of the value of a call, read off the code around it."""

from __future__ import annotations

import libcst as cst

from ddplint.findings.edits import Replace
from ddplint.fixing.recipes.builders import Edit, Site
from ddplint.rule import Event
from ddplint.source.ancestry import descend

__all__ = ["is_dropped", "unread_name", "waiting"]


def is_dropped(event: Event) -> bool:
    """Whether the call is a statement of its own, outside a coalescing manager."""
    site = Site(event.file, event.node)
    return isinstance(site.tree.parent(event.node), cst.Expr) and not _coalesced(site)


def _coalesced(site: Site) -> bool:
    for step in site.tree.ancestors(site.node):
        if isinstance(step, cst.With):
            texts = [site.module.code_for_node(item.item) for item in step.items]
            if any("coalescing" in text for text in texts):
                return True
    return False


def unread_name(event: Event) -> str:
    """The local variable that holds the call's value and that nothing reads; ``""`` if there is none such."""
    site = Site(event.file, event.node)
    statement = site.tree.parent(event.node)
    if (
        not isinstance(statement, cst.Assign)
        or len(statement.targets) != 1
        or site.function is None
        or _coalesced(site)
    ):
        return ""
    target = statement.targets[0].target
    if not isinstance(target, cst.Name):
        return ""
    for node in descend(site.function):
        if isinstance(node, (cst.Global, cst.Nonlocal)):
            return ""
        if isinstance(node, cst.Name) and node.value == target.value and not _is_target(site, node):
            return ""
    return target.value


def _is_target(site: Site, name: cst.Name) -> bool:
    holder = site.tree.parent(name)
    return isinstance(holder, cst.AssignTarget) or (isinstance(holder, cst.Attribute) and holder.attr is name)


def waiting(event: Event) -> tuple[Edit, ...]:
    """``call`` becomes ``call.wait()``."""
    assert isinstance(event.node, cst.Call)
    return (Replace(event.file, event.node, cst.Call(cst.Attribute(event.node, cst.Name("wait")))),)
