"""What a call that was only started has in its hands, and what code does with it meanwhile."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ddplint.knowledge import Api
from ddplint.source.ancestry import Tree, nodes_of
from ddplint.source.calls import last_part

_KEEPS = "append"
"""What a list is asked for to keep a tensor, which it does not look at."""


def tensors_given(call: cst.Call, row: Api) -> frozenset[str]:
    """The names in what a collective is given, its group and its root apart."""
    other = [row.group, row.root, row.async_]
    named, places = {one.name for one in other}, {one.position for one in other}
    given = (
        one.value
        for place, one in enumerate(call.args)
        if (place not in places if one.keyword is None else one.keyword.value not in named)
    )
    return frozenset(node.value for value in given for node in nodes_of(value, cst.Name))


def with_their_lists(tree: Tree, names: frozenset[str], code: Iterable[cst.Name]) -> frozenset[str]:
    """Names, and those of the lists that some code puts them into."""
    return names | {held for node in code if node.value in names and (held := _list_of(tree, node))}


def lets_be(tree: Tree, name: cst.Name) -> bool:
    """Whether a tensor, or a list of them, is only put into a list where its name stands, or the name is bound anew."""
    holder = tree.parent(name)
    if isinstance(holder, cst.AssignTarget) or _list_of(tree, name):
        return True
    return isinstance(holder, cst.Attribute) and holder.value is name and holder.attr.value == _KEEPS


def _list_of(tree: Tree, name: cst.Name) -> str:
    """The name of the list that keeps it: ``kept`` of ``kept.append(name)``; "" where none does."""
    holder = tree.parent(name)
    call = tree.parent(holder) if isinstance(holder, cst.Arg) else None
    asked = call.func if isinstance(call, cst.Call) and len(call.args) == 1 else None
    if not isinstance(asked, cst.Attribute) or last_part(asked) != _KEEPS:
        return ""
    return asked.value.value if isinstance(asked.value, cst.Name) else ""
