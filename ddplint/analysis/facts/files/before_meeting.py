"""Files that all ranks leave alike, empty or with a fixed text, before they meet for the first time."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const
from ddplint.analysis.trace.events import Event, Walk
from ddplint.source.ancestry import Tree, tree_of

_FIXED = frozenset({"write_text", "write_bytes", "touch"})
_FILLS = frozenset({"write", "writelines", "close", "flush"})


def is_left_alike(walk: Walk, event: Event) -> bool:
    """Whether a file is opened to be left empty, or with a text of the program, before the process group is made.

    Whoever makes the group waits there for all, so nobody can have written anything else yet.
    """
    return event.effect == Effect.WRITE and _comes_before_all(walk, event) and is_fixed(event)


def _comes_before_all(walk: Walk, event: Event) -> bool:
    begun = walk.doing(Effect.INIT)
    return bool(begun) and all(event.order < other.order and event.ranks <= other.ranks for other in begun)


def is_fixed(event: Event) -> bool:
    """Whether what opens a file leaves it empty, or with a text that stands in the program."""
    if event.name.rpartition(".")[2] in _FIXED:
        return all(isinstance(value, Const) for value in event.details.get("content", ()))
    tree = tree_of(event.file.module)
    if event.details.get("mode") is None or event.node not in tree:
        return False
    holder = tree.parent(event.node)
    if isinstance(holder, cst.Attribute):
        return _is_plain(tree, holder)
    if not isinstance(holder, cst.WithItem):
        return False
    block, name = tree.parent(holder), holder.asname.name if holder.asname is not None else None
    return isinstance(block, cst.With) and all(_is_left(tree, line, name) for line in _lines(block.body))


def _lines(body: cst.BaseSuite) -> Iterator[cst.CSTNode]:
    for line in body.body:
        yield from line.body if isinstance(line, cst.SimpleStatementLine) else (line,)


def _is_left(tree: Tree, line: cst.CSTNode, name: cst.CSTNode | None) -> bool:
    """Whether a statement in the block of an open file writes a fixed text, or nothing."""
    if isinstance(line, cst.Pass):
        return True
    call = line.value if isinstance(line, cst.Expr) else None
    if not isinstance(call, cst.Call):
        return isinstance(line, cst.Expr) and isinstance(line.value, (cst.SimpleString, cst.Ellipsis))
    of_file = isinstance(call.func, cst.Attribute) and name is not None and call.func.value.deep_equals(name)
    return of_file and isinstance(call.func, cst.Attribute) and _is_plain(tree, call.func)


def _is_plain(tree: Tree, method: cst.Attribute) -> bool:
    """Whether a method of an open file gets nothing but what stands there."""
    call = tree.parent(method)
    if not isinstance(call, cst.Call) or method.attr.value not in _FILLS:
        return False
    return all(isinstance(arg.value, (cst.SimpleString, cst.ConcatenatedString)) for arg in call.args)
