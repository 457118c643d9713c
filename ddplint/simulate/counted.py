"""What a program adds up over its ranks: each of them has its own, or there would be nothing to add up.

``total = reduce_mean(torch.tensor(len(found)))`` tells that ``len(found)`` differs between ranks, though nothing is
known of ``found``. Only what was copied into the tensor counts: the tensor itself may be the one that is reduced in
place, and so the same on all ranks afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.simulate.facts import Origin, Reason
from ddplint.simulate.simplify import rebuilt
from ddplint.simulate.symbols import Symbol
from ddplint.simulate.trace import Choice, Local, Node, Nodes, Split, parts
from ddplint.simulate.values import EVERYONE, Const, Container, Tuple, Unknown, Value

if TYPE_CHECKING:
    from ddplint.knowledge import Api
    from ddplint.simulate.walker import Walker

_COPIES = frozenset({"torch.tensor", "torch.FloatTensor", "torch.LongTensor", "torch.IntTensor"})
_OF_OTHERS = frozenset({"new_tensor", "new_full"})
"""Methods that copy what they are given, not what they are called on."""
_COPYING = frozenset({"all", "any", "clone", "item", "isinf", "isnan", "mean", "new_tensor", "numel", "sum"})
_SAME = frozenset(
    {"cpu", "cuda", "detach", "div", "div_", "double", "float", "int", "long", "mul", "mul_", "npu", "to", "type"}
)
_ASKING = frozenset(
    {"builtins.bool", "builtins.float", "builtins.int", "math.isfinite", "math.isinf", "math.isnan", "torch.isnan"}
)
_COMPARISONS = frozenset({"==", "<", "<=", ">", ">=", "is"})
_DEEP = 6


def note(w: Walker, row: Api, given: Value | None, node: cst.CSTNode) -> None:
    """Remember what went into a tensor that all ranks reduce."""
    if "reduce" not in row.name.rpartition(".")[2] or not isinstance(given, Unknown):
        return
    for what in _copied(w, given.symbol, False, _DEEP):
        w.counted.setdefault(what, Origin(w.frame.module.file, node, "added up over the ranks"))


def _copied(w: Walker, what: Symbol, copied: bool, depth: int) -> list[Symbol]:
    """What a tensor was made of by copying."""
    head, *rest = what.made_of
    inner: list[object] = []
    found, through = [what] if copied else [], copied
    if head == "method" and rest[0] in _COPYING | _SAME | _OF_OTHERS:
        own = rest[1:3]
        inner = rest[3:] if rest[0] in _OF_OTHERS else own[-1:]
        through = copied or rest[0] in _COPYING | _OF_OTHERS
    elif head == "len":
        found, through, inner = [what], True, rest[:1]  # where there is one, the collection is not empty
    elif (head == "call" and rest[0] in _COPIES) or (head == "op" and isinstance(rest[-1], Const)):
        inner, through = rest[1:2], True
    if not depth:
        return found
    for part in inner:
        for one in _symbols(w, part):
            found += _copied(w, one, through, depth - 1)
    return found


def _symbols(w: Walker, part: object) -> list[Symbol]:
    """The only thing in an argument, which may stand in a list."""
    if isinstance(part, Symbol):
        return [part]
    if isinstance(part, Container):
        content = w.state.read((part.id, ""))
        if isinstance(content, Tuple) and len(content.items) == 1 and isinstance(content.items[0], Unknown):
            return [content.items[0].symbol]
    return []


def _asked(what: Symbol) -> Symbol:
    """What a condition asks about: ``not n > 0`` about ``n``."""
    head, *rest = what.made_of
    inner: object = None
    if head == "not":
        inner = rest[0]
    elif head == "op" and rest[0] in _COMPARISONS and any(isinstance(part, Const) for part in rest[1:]):
        inner = next((part for part in rest[1:] if isinstance(part, Symbol)), None)
    elif head == "call" and rest[0] in _ASKING:
        inner = rest[1]
    return _asked(inner) if isinstance(inner, Symbol) else what


def decided_alone(trace: Nodes, counted: Mapping[Symbol, Origin]) -> Nodes:
    """The trace, in which each rank decides for itself on what is added up over the ranks."""
    return _nodes(trace, counted, EVERYONE) if counted else trace


def _nodes(nodes: Nodes, counted: Mapping[Symbol, Origin], mask: int) -> Nodes:
    return [_node(node, counted, mask) for node in nodes]


def _node(node: Node, counted: Mapping[Symbol, Origin], mask: int) -> Node:
    masks = [arm for arm, _ in node.arms] if isinstance(node, Split) else [mask] * len(parts(node))
    inner = [_nodes(part, counted, one) for part, one in zip(parts(node), masks, strict=True)]
    if inner != parts(node):
        node = rebuilt(node, inner)
    origin = counted.get(_asked(node.symbol)) if isinstance(node, Choice) else None
    if not isinstance(node, Choice) or origin is None:
        return node
    guard = replace(node.guard, reason=Reason.DATA, origins=(origin,))
    return Local(node.symbol, guard, node.then, node.other, mask)
