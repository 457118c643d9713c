"""What a program adds up over its ranks, or learns from: each of them has its own, or there would be nothing to do.

``total = reduce_mean(torch.tensor(len(found)))`` shows that ``len(found)`` differs between ranks, though nothing is
known of ``found``. Only what was copied into the tensor counts: the tensor itself may be the one that is reduced in
place, and so the same on all ranks afterwards. And a loss whose gradients are averaged over the ranks comes from each
rank's own batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Origin, Reason
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.term import (
    Attr,
    Call,
    Called,
    Item,
    Len,
    Method,
    Not,
    Operation,
    Parameter,
    Part,
    Symbol,
)
from ddplint.analysis.domain.values import EVERYONE, Const, Container, Tuple, Unknown, Value
from ddplint.analysis.memory import numbers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Own, Record
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Choice, Exit, Local, Node, Nodes, Split, parts
from ddplint.analysis.trace.simplify import rebuilt
from ddplint.knowledge import Api, tables

_OF_OTHERS = frozenset({"new_tensor", "new_full"})
"""Methods that copy what they are given, not what they are called on."""
_COPYING = frozenset({"all", "any", "clone", "item", "isinf", "isnan", "mean", "new_tensor", "numel", "sum"})
_SAME = frozenset(
    {"cpu", "cuda", "detach", "div", "div_", "double", "float", "int", "long", "mul", "mul_", "npu", "to", "type"}
)
_ASKING = frozenset(
    {"abs", "all", "any", "bool", "float", "int", "isfinite", "isinf", "isnan", "item", "max", "mean", "sum"}
)
_IN_NUMBERS = frozenset({"isfinite", "isinf", "isnan"})
_LIBRARIES = frozenset({"builtins", "math", "numpy", "torch"})
_SHAPING = frozenset({"flatten", "reshape", "squeeze", "view"})
_COMPARISONS = frozenset({"==", "<", "<=", ">", ">="})
_SETTINGS = (Attr, Item, Parameter)


@dataclass(slots=True)
class Learned(Record):
    """What is added up over the ranks or learnt from, and where."""

    life = Life.ENTRY
    places: dict[Symbol, Own] = field(default_factory=dict)


def note(w: Interp, row: Api, given: Value | None, node: cst.CSTNode) -> None:
    """Remember what went into a tensor that all ranks reduce."""
    if "reduce" not in row.name.rpartition(".")[2] or not isinstance(given, Unknown):
        return
    if given.symbol.holds_agreed:
        return
    for what in _copied(w, given.symbol, False, limits.LOSS_DEPTH):
        origin = Origin(w.frame.module.file, node, "added up over the ranks")
        w.record(Learned).places.setdefault(what, Own(origin, w.state.path))


def note_loss(w: Interp, loss: Value | None, node: cst.CSTNode) -> None:
    """Remember the loss whose gradients are averaged over the ranks."""
    for way in alternatives(loss) if loss is not None else ():
        if isinstance(way, Unknown) and not way.symbol.holds_agreed:
            for what in _terms(way.symbol, limits.LOSS_DEPTH):
                origin = Origin(w.frame.module.file, node, "the loss of its own batch")
                w.record(Learned).places.setdefault(what, Own(origin, w.state.path, True))


def _terms(what: Symbol, depth: int) -> Iterator[Symbol]:
    """A loss, and what it was added up from."""
    yield what
    made = what.whole
    inner: Sequence[object] = ()
    if isinstance(made, Operation) and made.sign in ("+", "-", "/", "*"):
        inner = made.operands[:1] if made.sign == "/" else made.operands
        if made.sign == "*":
            inner = [part for part in inner if not (isinstance(part, Symbol) and isinstance(part.whole, _SETTINGS))]
    elif isinstance(made, Method) and made.name in _COPYING | _SAME | {"scale"}:
        inner = made.args[1:] if made.name == "scale" else made.args[:1]
    for part in inner:
        if isinstance(part, Symbol) and depth:
            yield from _terms(part, depth - 1)


def _copied(w: Interp, what: Symbol, copied: bool, depth: int) -> list[Symbol]:
    """What a tensor was made of by copying."""
    made = what.whole
    inner: Sequence[object] = ()
    found, through = [what] if copied else [], copied
    if isinstance(made, Method) and made.name in _COPYING | _SAME | _OF_OTHERS:
        inner = made.args[1:] if made.name in _OF_OTHERS else (made.receiver, *made.args[:1])[-1:]
        through = copied or made.name in _COPYING | _OF_OTHERS
    elif isinstance(made, Len):
        found, through, inner = [what], True, (made.of,)  # where there is one, the collection is not empty
    elif isinstance(made, Call) and made.name in tables.names("copies"):
        inner, through = made.args[:1], True
    elif isinstance(made, Operation) and isinstance(made.last, Const):
        inner, through = made.operands[:1], True
    elif isinstance(made, Item) and isinstance(made.index, Symbol):
        found += _selection(w, made.index)
    if not depth:
        return found
    for part in inner:
        for one in _symbols(w, part):
            found += _copied(w, one, through, depth - 1)
    return found


def _selection(w: Interp, index: Symbol) -> list[Symbol]:
    """What selects elements by what is in a tensor (``mask``, ``mask.nonzero()``), and how many there are.

    The elements are each rank's own where they are added up over the ranks, and so is what finds them in the same data.
    """
    found, made = [index, symbol("len", index)], index.whole
    while isinstance(made, (Method, Item, Part)) and not _selects(made):
        inner = made.args[0] if isinstance(made, Method) and made.name in _SHAPING | _SAME and made.args else None
        inner = made.base if isinstance(made, (Item, Part)) else inner
        if not isinstance(inner, Symbol):
            return []
        found += [inner, symbol("len", inner)]
        made = inner.whole
    return found if _selects(made) or numbers.is_mask(w, made) else []


def _selects(made: Symbol) -> bool:
    return isinstance(made, Called) and made.last_name in tables.names("selecting")


def _symbols(w: Interp, part: object) -> list[Symbol]:
    """The only thing in an argument, which may stand in a list."""
    if isinstance(part, Symbol):
        return [part]
    if isinstance(part, Container):
        content = w.state.read((part.id, ""))
        if isinstance(content, Tuple) and len(content.items) == 1 and isinstance(content.items[0], Unknown):
            return [content.items[0].symbol]
    return []


def _asked(what: Symbol, number: bool = False) -> Iterator[tuple[Symbol, bool]]:
    """What a condition asks about (``not n > 0`` about ``n``, too), and whether it takes that for a number."""
    yield what, number
    made = what.whole
    inner: object = None
    if isinstance(made, Not):
        inner = made.inner
    elif isinstance(made, Operation) and made.sign in _COMPARISONS and _limit(made.operands):
        inner, number = next(iter(made.symbols), None), True
    elif isinstance(made, Called) and isinstance(made.name, str):
        source, _, last = made.name.rpartition(".")
        if last in _ASKING and (isinstance(made, Method) or source in _LIBRARIES):
            inner, number = made.last, number or last in _IN_NUMBERS
    if isinstance(inner, Symbol):
        yield from _asked(inner, number)


def _limit(sides: Sequence[object]) -> bool:
    """Whether something is compared with a number that the program names."""
    return any(isinstance(one, Const) and isinstance(one.value, (int, float)) for one in sides)


def decided_alone(trace: Nodes, counted: Mapping[Symbol, Own]) -> Nodes:
    """The trace, in which each rank decides for itself on what is its own."""
    if counted:
        verified = frozenset(_verified(trace))
        counted = {what: own for what, own in counted.items() if what not in verified}
    return _nodes(trace, counted, EVERYONE, PathCondition()) if counted else trace


def _verified(nodes: Nodes) -> Iterator[Symbol]:
    """What has to be the same on all ranks: each fails where the sum is not its own, as often as there are ranks."""
    for node in nodes:
        arms = parts(node)
        if isinstance(node, (Choice, Local)) and any(_fails(arm) for arm in arms):
            yield from _multiplied(node.symbol)
        for arm in arms:
            yield from _verified(arm)


def _fails(arm: Nodes) -> bool:
    return any(isinstance(node, Exit) and node.kind is ExitKind.RAISE for node in arm)


def _multiplied(test: Symbol) -> Iterator[Symbol]:
    """What a test multiplies, to compare it with something that all ranks have agreed on."""
    made = test.whole
    if isinstance(made, Not) and isinstance(made.inner, Symbol):
        yield from _multiplied(made.inner)
    if not isinstance(made, Operation) or made.sign not in ("==", "!="):
        return
    if any(one.holds_agreed for one in made.symbols):
        for own in (factor for side in made.symbols for factor in _factors(side.whole)):
            yield own
            if isinstance(own.whole, Len):
                yield from own.whole.symbols


def _factors(what: Symbol) -> list[Symbol]:
    return what.symbols if isinstance(what, Operation) and what.sign == "*" else []


def _nodes(nodes: Nodes, counted: Mapping[Symbol, Own], mask: int, known: PathCondition) -> Nodes:
    return [_node(node, counted, mask, known) for node in nodes]


def _node(node: Node, counted: Mapping[Symbol, Own], mask: int, known: PathCondition) -> Node:
    masks = [arm for arm, _ in node.arms] if isinstance(node, Split) else [mask] * len(parts(node))
    ways = [known] * len(masks)
    if isinstance(node, (Choice, Local)):
        ways = [known.add(node.symbol, True), known.add(node.symbol, False)]
    inner = [_nodes(part, counted, *one) for part, one in zip(parts(node), zip(masks, ways, strict=True), strict=True)]
    if inner != parts(node):
        node = rebuilt(node, inner)
    if not isinstance(node, Choice):
        return node
    known_to_be_own = ((counted.get(asked), number) for asked, number in _asked(node.symbol))
    own = next((one for one, number in known_to_be_own if one is not None and (number or not one.number)), None)
    if own is None or not own.holds(known):
        return node
    guard = replace(node.guard, reason=Reason.DATA, origins=(own.origin,))
    return Local(node.symbol, guard, node.then, node.other, mask)
