"""Attributes of an object that its methods set, told by where they do: in what all ranks run, or perhaps on one."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.rule import Event, Value, Walk
from ddplint_rules.common import multiplicity, paths

__all__ = ["may_be_of_one"]


def may_be_of_one(event: Event, target: Value | None, among: Sequence[Walk]) -> bool:
    """Whether the name of a file is in something that code sets which was not walked, and that may run on one rank.

    All ranks run what makes the object, what leads to the event, and the methods that a framework calls on all.
    """
    names = set(paths.set_later_in(target))
    if not names or "" in names:
        return bool(names)
    ran = {frame.function for frame in event.stack} | {walk.entry for walk in among if walk.hook == "all"}
    return not all(_is_set_by_all(event, name, ran) for name in names)


def _is_set_by_all(event: Event, name: str, ran: set[str]) -> bool:
    site = Site(event.file, event.node)
    setters = [site.moved(target).function for target, _ in site.scopes.attributes.get(f"self.{name}", ())]
    return bool(setters) and all(one is not None and _is_of_all(site, one, ran) for one in setters)


def _is_of_all(site: Site, function: cst.FunctionDef, ran: set[str]) -> bool:
    """Whether all ranks run a method, and nothing in it asks who they are."""
    owner = next((step for step in site.tree.ancestors(function) if isinstance(step, cst.ClassDef)), None)
    full = f"{owner.name.value}.{function.name.value}" if owner is not None else function.name.value
    if function.name.value != "__init__" and full not in ran:
        return False
    return not multiplicity.names_ranks(site.module.code_for_node(function))
