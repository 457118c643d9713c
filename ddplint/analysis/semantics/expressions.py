"""What expressions mean: constant folding where possible, symbols and rank-local values where not."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Any

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Call, Operation
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Const,
    Either,
    Function,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    ranks_of,
    unknown,
)
from ddplint.analysis.interp import asides, implied, uncalled, visits
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.contents import joined
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import NARROWED
from ddplint.analysis.models.python import paths, views
from ddplint.analysis.semantics import context_managers, names, number_tests
from ddplint.analysis.semantics.calling import calls
from ddplint.source.ancestry import nodes_of
from ddplint.source.tree import children
from ddplint.util import figures


def evaluate(w: Interp, node: cst.BaseExpression) -> Value:
    """The value of an expression for the active ranks."""
    w.tick()
    handler = w.evaluators.get(type(node))
    if handler is None:
        return unknown("expression")
    value = handler(w, node)
    return w.state.narrow(value) if type(value) in NARROWED else value


def eval_integer(w: Interp, node: cst.Integer) -> Value:
    number = figures.written(node.value, 0)
    return unknown("number") if number is None else Const(number)


def eval_float(w: Interp, node: cst.Float) -> Value:
    number = figures.decimal(node.value)
    return unknown("number") if number is None else Const(number)


def eval_string(w: Interp, node: cst.SimpleString | cst.ConcatenatedString) -> Value:
    if type(node) is not cst.SimpleString:
        assert isinstance(node, cst.ConcatenatedString)
        left, right = evaluate(w, node.left), evaluate(w, node.right)
        return w.lift(node, lambda a, b: terms.text_of(a, b), left, right)
    return _literal(node.value) or unknown("string")


_QUOTES = ('"', "'")
_LONG_QUOTES = ('"""', "'''")


@lru_cache(maxsize=8192)
def _literal(text: str) -> Const | None:
    if text[0] in _QUOTES and "\\" not in text and "\r" not in text:
        marks = 3 if text[:3] in _LONG_QUOTES else 1
        return Const(text[marks:-marks])
    try:
        return Const(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError):
        return None


def eval_formatted(w: Interp, node: cst.FormattedString) -> Value:
    parts: list[Value] = []
    for part in node.parts:
        if type(part) is cst.FormattedStringText:
            parts.append(Const(part.value))
        elif type(part) is cst.FormattedStringExpression:
            parts.append(evaluate(w, part.expression))
    return w.lift(node, lambda *found: terms.text_of(*map(paths.text_of, found)), *parts)


def eval_attribute(w: Interp, node: cst.Attribute) -> Value:
    base = implied.asked_for(w, evaluate(w, node.value), node.attr.value)
    names.attribute_read(w, base, node)
    found = w.semantics.get(w, base, node.attr.value, node)
    if type(found) is Function:
        visits.note_named(w, found)
    return found


def eval_boolean(w: Interp, node: cst.BooleanOperation) -> Value:
    left = evaluate(w, node.left)
    is_and = type(node.operator) is cst.And
    if isinstance(left, Unknown) and w.state.path.get(left.symbol) is None and not _does_more(left, node.right):
        right = _right(w, node)
        if isinstance(right, (Unknown, Varying)):
            return _both_asked(is_and, left, right)
    if isinstance(left, Varying) and w.truth(left) is None and not may_act(node.right):
        right = _right(w, node)
        if right == (FALSE if is_and else TRUE):
            return right  # whatever the other one is
        if isinstance(right, (Unknown, Varying)):
            return _both_asked(is_and, left, right)
    if isinstance(left, Either) and number_tests.are_open(w, left) and number_tests.is_one(w, node):
        right = _right(w, node)
        if number_tests.are_open(w, right):
            return w.lift(node, lambda a, b: _both_asked(is_and, a, b), left, right)
    asking = _who_asks_on(w, is_and, left) if isinstance(left, PerRank) and not may_act(node.right) else 0
    if isinstance(left, PerRank) and asking:
        with w.saved(mask=asking):
            right = _right(w, node)
        if isinstance(right, (Const, Unknown, Varying)) and all(map(_is_asked_or_known, left.values)):
            return w.lift(node, lambda seen: _of_both(w, is_and, seen, right), left)
    return _one_after_the_other(w, node, is_and, left)


def _right(w: Interp, node: cst.BooleanOperation) -> Value:
    value = evaluate(w, node.right)
    uncalled.note(w, value, node.right)
    return value


def _who_asks_on(w: Interp, is_and: bool, left: PerRank) -> int:
    """The active ranks that come to the right side, which the left one does not decide for them."""
    return sum(1 << rank for rank in ranks_of(w.state.mask) if w.truth(left.values[rank]) is not (not is_and))


def _is_asked_or_known(value: Value) -> bool:
    return isinstance(value, (Const, Unknown)) or value is UNBOUND


def _of_both(w: Interp, is_and: bool, left: Value, right: Value) -> Value:
    """What one rank sees of ``left and right``: with an unknown on both sides, one that remembers them."""
    known = w.truth(left)
    if isinstance(known, bool):
        return right if known is is_and else left
    if isinstance(left, Unknown) and isinstance(right, (Unknown, Varying)):
        return _both_asked(is_and, left, right)
    return left if w.truth(right) is is_and else right


def _one_after_the_other(w: Interp, node: cst.BooleanOperation, is_and: bool, left: Value) -> Value:
    """``left and right``, where the right one runs code, and runs it only where it is asked."""
    kind = GuardKind.AND if is_and else GuardKind.OR
    asked: list[Value] = []
    acts, decided = may_act(node.right), FALSE if is_and else TRUE

    def right_side() -> Value:
        asked.append(_right(w, node))
        return decided if decides(asked[-1]) else asked[-1]

    def decides(right: Value) -> bool:
        """Whether the right side says on this way what comes out, whatever each rank has on the left."""
        own = isinstance(w.state.narrow(left), Varying) and not acts
        return own and _known(w, right) is (not is_and)

    def left_side() -> Value:
        value = w.state.narrow(left)
        if isinstance(value, Varying) and not acts and decides(_right(w, node)):
            return decided
        settled = isinstance(value, Varying) and is_and and any(isinstance(one, PerRank) for one in asked)
        return value if not settled and not _is_settled(value) else decided

    arms = (right_side, left_side) if is_and else (left_side, right_side)
    found = w.branch(left, node.left, node, kind, *arms)
    if isinstance(left, Varying) and isinstance(found, Varying) and found.symbol.is_fresh("parted") and len(asked) == 1:
        right = asked[0]
        return _both_asked(is_and, left, right) if isinstance(right, (Unknown, Varying)) else found
    return found or NONE


def _known(w: Interp, value: Value) -> bool | None:
    """Whether a value is true, where that or the way that was taken here says so."""
    known = w.truth(value)
    return w.state.path.get(known) if isinstance(known, Symbol) else known


def _both_asked(is_and: bool, left: Unknown | Varying, right: Unknown | Varying) -> Value:
    """``left and right``, where neither is known: a rank-local one remembers what all ranks see alike of it."""
    what = symbol("and" if is_and else "or", left.symbol, right.symbol)
    local = next((side for side in (left, right) if isinstance(side, Varying)), None)
    if local is None:
        return Unknown(what)
    what.shared = tuple(side.symbol for side in (left, right) if isinstance(side, Unknown))
    return Varying(local.reason, what, local.trail)


def _is_settled(value: Value) -> bool:
    """Whether a value that is true or false, and nothing else, holds something that is known on some ways only."""
    if isinstance(value, PerRank):
        parts = [part for part in value.values if part is not UNBOUND]
        return all(part in (TRUE, FALSE) or _is_settled(part) for part in parts)
    return isinstance(value, (Unknown, Varying)) and _is_truth(value)


_TRUTHS = frozenset({"in", "is", "isinstance", "not"})


def _is_truth(value: Unknown | Varying) -> bool:
    """Whether a value that nobody knows is True or False, and nothing else."""
    made = value.symbol.whole
    if isinstance(made, Operation):
        return made.sign in ("<", "<=", "==", "!=", ">", ">=")
    return made.head in _TRUTHS or (
        isinstance(made, Call) and isinstance(value, Varying) and value.reason is Reason.FILESYSTEM
    )


def _does_more(left: Unknown, right: cst.BaseExpression) -> bool:
    """Whether the right side does more than compare, so that it matters when it is asked.

    Behind what is decided by the number of the iteration a length may be asked for: nothing that is tested makes sure
    that it can be.
    """
    asked = nodes_of(right, cst.Call) if left.symbol.counters else ()
    measured = [call for call in asked if type(call.func) is cst.Name and call.func.value == "len"]
    return may_act(right, frozenset(map(id, measured)))


def may_act(node: cst.CSTNode, but_for: Set[int] = frozenset()) -> bool:
    """Whether evaluating an expression may run code (a call, an await, an assignment expression)."""
    stack = [node]
    while stack:
        node = stack.pop()
        if type(node) in _ACTS and id(node) not in but_for:
            return True
        stack += [child for child in children(node) if _ENTERED[type(child)]]
    return False


_ACTS = frozenset({cst.Call, cst.Await, cst.NamedExpr, cst.Yield})


class _Entered(dict[type, bool]):
    """Whether nodes of a class are looked into, asked once for each class."""

    def __missing__(self, kind: type) -> bool:
        leaf = kind in (cst.Name, cst.Integer, cst.SimpleString, cst.Float)
        found = self[kind] = not leaf and issubclass(kind, (cst.BaseExpression, cst.ComparisonTarget))
        return found


_ENTERED = _Entered()


def eval_conditional(w: Interp, node: cst.IfExp) -> Value:
    test = evaluate(w, node.test)
    return (
        w.branch(
            test, node.test, node, GuardKind.TERNARY, lambda: evaluate(w, node.body), lambda: evaluate(w, node.orelse)
        )
        or NONE
    )


def eval_tuple(w: Interp, node: cst.Tuple) -> Value:
    given = [evaluate(w, element.value) for element in node.elements]
    items = _spread(w, node.elements, given)
    if items is not None:
        return Tuple(tuple(items))
    return w.lift(node, lambda *parts: terms.derived(("op", "tuple"), parts), *given)


def eval_list(w: Interp, node: cst.List | cst.Set) -> Value:
    given = [evaluate(w, element.value) for element in node.elements]
    starred = _taken_apart(node.elements, given)

    def make() -> Value:
        items = _spread(w, node.elements, given)
        if isinstance(node, cst.List):
            made = w.container("list", items, filling.uneven_among(w, starred))
            joined.note(w, made, given)
            return made
        return containers.made(w, w.container("set", items, filling.uneven_among(w, starred)), items)

    return views.for_each(w, node, starred, make) or NONE


_SPREAD = (cst.StarredElement, cst.StarredDictElement)


def _taken_apart(elements: Any, given: Sequence[Value]) -> list[Value]:
    return [value for element, value in zip(elements, given, strict=True) if isinstance(element, _SPREAD)]


def _spread(w: Interp, elements: Any, given: Sequence[Value]) -> list[Value] | None:
    items: list[Value] | None = []
    for element, value in zip(elements, given, strict=True):
        if type(element) is cst.StarredElement:
            inner = containers.items_of(w, value)
            items = items + inner if items is not None and inner is not None else None
        elif items is not None:
            items.append(value)
    return items


def eval_dict(w: Interp, node: cst.Dict) -> Value:
    given: list[Value] = []
    for element in node.elements:
        value = evaluate(w, element.value)
        given.append(Tuple((evaluate(w, element.key), value)) if isinstance(element, cst.DictElement) else value)
    starred = _taken_apart(node.elements, given)
    return views.for_each(w, node, starred, lambda: _dict_of(w, node, given)) or NONE


def _dict_of(w: Interp, node: cst.Dict, given: Sequence[Value]) -> Value:
    pairs: list[Value] | None = []
    for element, value in zip(node.elements, given, strict=True):
        inner = [value] if isinstance(element, cst.DictElement) else containers.pairs_of(w, value)
        pairs = pairs + inner if pairs is not None and inner is not None else None
    return w.container("dict", pairs, filling.uneven_among(w, given) if pairs is None else None)


def eval_lambda(w: Interp, node: cst.Lambda) -> Value:
    return asides.function_value(w, node, "<lambda>")


def eval_named_expr(w: Interp, node: cst.NamedExpr) -> Value:
    value = evaluate(w, node.value)
    if isinstance(node.target, cst.Name):
        w.state.write((w.frame.outer_names.get(node.target.value, w.frame.scope), node.target.value), value)
    return value


def eval_await(w: Interp, node: cst.Await) -> Value:
    return evaluate(w, node.expression)


def eval_yield(w: Interp, node: cst.Yield) -> Value:
    value: Value = NONE
    if isinstance(node.value, cst.From):
        inner = evaluate(w, node.value.item)
        return calls.yield_from(w, node, inner)
    if node.value is not None:
        value = evaluate(w, node.value)
        context_managers.handed_out(w, node, value)
    if w.frame.on_yield is not None:
        return w.frame.on_yield(value)
    return unknown("sent")


def eval_call(w: Interp, node: cst.Call) -> Value:
    return w.semantics.call(w, node)
