"""Ranks that leave because they have nothing to gather: the list that they would send is empty on them alone."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Const, Container, Event, Walk
from ddplint.source.ancestry import Tree, descend, tree_of
from ddplint.source.tree import dotted

__all__ = ["unfilled"]

_GATHERS = ("all_gather", "gather", "all_gather_object", "gather_object", "all_gather_into_tensor")
_MOST_PARTS = 500
_COMPARED = 4
"""How long the key of a comparison is: what it is, the operator, and both sides."""


def unfilled(walk: Walk) -> Iterator[tuple[Event, cst.BaseExpression]]:
    """What gathers the content of a list, only where that list is not empty; with the test that asks so.

    What each rank sends is its own, or nobody would gather it. Where nothing is sent in the empty case either, a rank
    whose list is empty goes on alone.
    """
    for event in walk.events:
        if event.effect != "collective" or event.group or event.name.rpartition(".")[2] not in _GATHERS:
            continue
        for what, known in event.path.items():
            asked = _asked(what.key, known)
            if asked is None or not any(_holds(value, asked) for value in event.args):
                continue
            if any(other.path.get(what) is (not known) and other.effect == "collective" for other in walk.events):
                continue  # who has nothing communicates too
            test = _test_before(event)
            if test is not None:
                yield event, test


def _asked(key: tuple[object, ...], known: bool) -> Container | None:
    """The container of which something says that it is not empty."""
    if key[0] == "truth" and known and isinstance(key[1], Container):
        return key[1]
    if key[0] != "op" or len(key) != _COMPARED or key[3] not in (0, Const(0)):
        return None
    says = (key[1] == "==" and not known) or (key[1] in (">", "!=") and known)
    head, *rest = getattr(key[2], "key", ("",))
    return rest[0] if says and head == "len" and rest and isinstance(rest[0], Container) else None


def _holds(value: object, what: Container) -> bool:
    """Whether a value is a container or worked out from it."""
    rest, seen = [value], set[int]()
    while rest and len(seen) < _MOST_PARTS:
        part = rest.pop()
        if part == what:
            return True
        part = getattr(part, "symbol", part)
        if id(part) not in seen:
            seen.add(id(part))
            rest += getattr(part, "made_of", ())
    return False


def _test_before(event: Event) -> cst.BaseExpression | None:
    """The test for emptiness on the way to an event, in its own function, of something that is used behind it."""
    tree = tree_of(event.file.module)
    function = tree.function(event.node) if event.node in tree else None
    if function is None:
        return None
    for node in descend(function, into_functions=False):
        if not isinstance(node, cst.If) or tree.order(node) > tree.order(event.node) or not _decides(tree, node, event):
            continue
        name = _of_emptiness(node.test)
        below = (
            one for one in descend(function) if tree.order(one) > tree.order(node) and not tree.contains(node.test, one)
        )
        if name and any(isinstance(one, (cst.Name, cst.Attribute)) and dotted(one) == name for one in below):
            return node.test
    return None


def _decides(tree: Tree, node: cst.If, event: Event) -> bool:
    """Whether an ``if`` is around an event, or leaves the function before it."""
    if tree.contains(node, event.node):
        return True
    body = node.body.body
    last = body[-1] if body else None
    small = last.body[0] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(small, (cst.Return, cst.Continue, cst.Break))


def _of_emptiness(test: cst.BaseExpression) -> str:
    """What is asked for: ``not x``, ``x``, ``len(x) == 0``, ``len(x) > 0``; empty for other tests."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test = test.expression
    if isinstance(test, cst.Comparison):
        test = test.left
    if isinstance(test, cst.Call) and dotted(test.func) == "len" and len(test.args) == 1:
        test = test.args[0].value
    return dotted(test)
