"""Unary, binary and boolean operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Len, Not
from ddplint.analysis.domain.values import (
    FALSE,
    TRUE,
    Const,
    Container,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    varying_in,
)
from ddplint.analysis.interp import uncalled
from ddplint.analysis.memory import containers, filling, numbers
from ddplint.analysis.memory.contents import joined
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.python import paths
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.analysis.semantics import may_raise

_OF_TYPES = frozenset({"|", "&"})
"""Operators that classes, and ``None`` among them, have, too."""


def eval_unary(w: Interp, node: cst.UnaryOperation) -> Value:
    value = w.semantics.evaluate(w, node.expression)
    if type(node.operator) is cst.Not:
        return w.lift(node, lambda v: negate(w, v, node), value)
    name, compute = _UNARY[type(node.operator)]
    return w.lift(node, lambda v: terms.folded(name, compute, v), value)


_UNARY: dict[type, tuple[str, Callable[[Any], Any]]] = {
    cst.Minus: ("unary -", operator.neg),
    cst.Plus: ("unary +", operator.pos),
    cst.BitInvert: ("unary ~", operator.invert),
}


def negate(w: Interp, value: Value, node: cst.CSTNode) -> Value:
    """Logical not."""
    if isinstance(value, Container):
        value = filling.asked(w, value, node)
    value = numbers.whether_any(w, value)
    known = w.truth(value)
    if isinstance(known, Symbol):
        return Unknown(_not(known))
    if isinstance(value, Varying):
        return Varying(value.reason, _not(value.symbol), value.trail)
    if known is None:
        return w.lift(node, lambda v: negate(w, v, node), value)
    if known and isinstance(node, cst.UnaryOperation):
        uncalled.note(w, value, node.expression)
    return FALSE if known else TRUE


def _not(what: Symbol) -> Symbol:
    if isinstance(what, Not) and isinstance(what.inner, Symbol):
        return what.inner
    return symbol("not", what)


BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    cst.Add: ("+", operator.add),
    cst.Subtract: ("-", operator.sub),
    cst.Multiply: ("*", operator.mul),
    cst.Divide: ("/", operator.truediv),
    cst.FloorDivide: ("//", operator.floordiv),
    cst.Modulo: ("%", operator.mod),
    cst.BitAnd: ("&", operator.and_),
    cst.BitOr: ("|", operator.or_),
    cst.BitXor: ("^", operator.xor),
    cst.LeftShift: ("<<", operator.lshift),
    cst.RightShift: (">>", operator.rshift),
    cst.Power: ("**", operator.pow),
    cst.MatrixMultiply: ("@", operator.matmul),
}


def eval_binary(w: Interp, node: cst.BinaryOperation) -> Value:
    left, right = w.semantics.evaluate(w, node.left), w.semantics.evaluate(w, node.right)
    name, compute = BINARY[type(node.operator)]
    for value, side in ((left, node.left), (right, node.right))[: 1 if name == "%" else 2]:
        if type(value) is PerRank and name not in _OF_TYPES:
            w.semantics.used(w, value, side)
    may_raise.note_sum(w, left, right)
    made = binary(w, node, name, compute, left, right)
    note_ratio(w, node, name, left, right, made)
    return made


def note_ratio(w: Interp, node: cst.CSTNode, name: str, left: Value, right: Value, made: Value) -> None:
    """What is divided by a length, or what a wrapped model gives by anything; or what ranks agreed on by a number of
    each rank's own. And what that gives."""
    if name == "/" and (_is_length(right) or _is_of_all(left, right) or _is_given_by_a_model(left)):
        w.emit("ratio", Effect.RATIO, node, args=(left, right), result=made)


def _is_length(what: Value) -> bool:
    return isinstance(what, Unknown) and isinstance(what.symbol.whole, Len)


def _is_given_by_a_model(what: Value) -> bool:
    return any(getattr(one, "source", None) is not None for one in alternatives(what))


def _is_of_all(left: Value, right: Value) -> bool:
    if isinstance(left, Unknown):
        return left.symbol.holds_agreed
    own = varying_in(left)
    return own is not None and varying_in(right) is None and own.symbol.holds_agreed


def binary(w: Interp, node: cst.CSTNode, name: str, compute: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """A binary operator on any values."""

    if name == "+" and (rank := rank_evidence.among_nodes(a, b)) is not None:
        return rank
    if name in ("%", "//") and (rank := rank_evidence.on_its_node(w, node, name, a, b)) is not None:
        return rank
    if name == "%" and isinstance(b, Tuple):
        return w.lift(node, lambda x, *ys: _formatted(x, ys) or terms.folded(name, None, x, Tuple(ys)), a, *b.items)

    def apply(x: Value, y: Value, *_: Value) -> Value:
        if name == "|" and (united := _united(w, x, y)) is not None:
            return united
        if name == "%" and (made := _formatted(x, (y,))) is not None:
            return made
        if name == "+" and isinstance(x, (Tuple, Container)) and isinstance(y, (Tuple, Container)):
            return _joined(w, x, y)
        if name == "*" and (repeated := _repeated(w, x, y) or _repeated(w, y, x)) is not None:
            return repeated
        if name == "/" and not (isinstance(x, Const) and isinstance(y, Const)) and paths.divides(x, y):
            return paths.path_of(w, paths.joined(x, y))
        if name in ("%", "//") and x == Const(0) and isinstance(y, Unknown):
            return Const(0)
        if name == "&" and FALSE in (x, y):
            return FALSE
        return terms.folded(name, compute, x, y)

    return w.lift(node, apply, a, b, *filling.apart(w, (a, b)))


def _formatted(template: Value, items: tuple[Value, ...]) -> Value | None:
    from ddplint.analysis.domain import terms

    return terms.percent(template, items)


def _joined(w: Interp, x: Value, y: Value) -> Value:
    first, second = containers.items_of(w, x), containers.items_of(w, y)
    if first is None or second is None:
        longer = w.container("list", None, filling.uneven_among(w, (x, y)) or varying_in(x) or varying_in(y))
        joined.note(w, longer, [x, y])
        return longer
    if isinstance(x, Tuple):
        return Tuple((*first, *second))
    return w.container("list", [*first, *second])


def _united(w: Interp, x: Value, y: Value) -> Value | None:
    """``x | y`` of two dictionaries."""
    if not isinstance(x, Container) or not isinstance(y, Container) or x.kind != "dict" or y.kind != "dict":
        return None
    first, second = containers.pairs_of(w, x), containers.pairs_of(w, y)
    if first is None or second is None:
        return w.container("dict", None, filling.uneven_among(w, (x, y)))
    later = {pair.items[0] for pair in second if isinstance(pair, Tuple)}
    kept = [pair for pair in first if isinstance(pair, Tuple) and pair.items[0] not in later]
    return w.container("dict", [*kept, *second])


def _repeated(w: Interp, value: Value, times: Value) -> Value | None:
    """``value * times`` for a list or tuple of known content and a known number."""
    if not isinstance(value, (Tuple, Container)) or not isinstance(times, Const) or type(times.value) is not int:
        return None
    items = containers.items_of(w, value)
    count = max(times.value, 0) if items else 0
    if items is None or len(items) * count > limits.REPEATED_ITEMS:
        return None
    items *= count
    return Tuple(tuple(items)) if isinstance(value, Tuple) else w.container("list", items)
