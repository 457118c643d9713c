"""Comparisons: what is equal, smaller, the same, or contained."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.compare import of_one_thing
from ddplint.analysis.domain.content import ways_in
from ddplint.analysis.domain.join import is_given, joined_ways
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.provenance import (
    is_drawn_name,
    is_sample,
    is_step_output,
    is_whole_output,
    is_whole_sample,
    may_be_name,
)
from ddplint.analysis.domain.symbols import GIVEN, Symbol, measured, symbol
from ddplint.analysis.domain.term import Call, Distinct, Fresh, Len, Method, Operation, Text
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Class,
    Const,
    Container,
    Either,
    External,
    Function,
    Group,
    Instance,
    ModuleValue,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    by_rank_in,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.numbers import Sizes, is_first, whether_any
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import WrappedModels
from ddplint.analysis.models import options
from ddplint.analysis.models.data import collating
from ddplint.analysis.models.distributed import grouped
from ddplint.analysis.models.python import environment
from ddplint.analysis.openworld.programs import gradients
from ddplint.analysis.semantics import operators
from ddplint.analysis.summaries import syntax
from ddplint.source.tree import code_of
from ddplint.util import figures

_MEMBERSHIP = (cst.In, cst.NotIn)
_SAMENESS = (cst.Equal, cst.NotEqual)

_IDENTITY = (cst.Is, cst.IsNot)

_NOTHING = (Const(0), Const(0.0))


def _stands_in(value: Value, number: Value) -> bool:
    """Whether a number takes the place of a value on some path, such as 0 that of a loss that was not worked out."""
    if not isinstance(value, Either) or value.local is not None:
        return value == number
    return _stands_in(value.yes, number) or _stands_in(value.no, number)


def _present(value: Value) -> Value:
    """A value for which a number stands in elsewhere: what each rank worked out is not that number."""
    if isinstance(value, Either):
        return Either(value.symbol, _present(value.yes), _present(value.no), value.leaves, value.local)
    return TRUE if isinstance(value, Varying) and value.reason is Reason.DATA else value


def eval_comparison(w: Interp, node: cst.Comparison) -> Value:
    left, asked = w.semantics.evaluate(w, node.left), node.left
    result: Value | None = None
    for target in node.comparisons:
        right = w.semantics.evaluate(w, target.comparator)
        own = filling.by_rank(w, right)
        if type(target.operator) in _SAMENESS and right in _NOTHING and _stands_in(left, right):
            left = _present(left)
        if type(target.operator) in _IDENTITY and right == NONE:
            left = options.as_given(w, of_one_thing(w.state.narrow(left)))
        number = _is_number_of_rank(w, left, right)
        if _asks_for_kept(w, asked, target) and _is_open(w, left, right):
            step = _is_kept(w, target, right, node)
        else:
            step = w.lift(
                node, lambda a, b, *_, op=target.operator, n=number: compare(w, op, a, b, node, n), left, right, *own
            )
        result = step if result is None else _both(w, node, result, step)
        left, asked = right, target.comparator
    return result or NONE


def _asks_for_kept(w: Interp, key: cst.BaseExpression, target: cst.ComparisonTarget) -> bool:
    """Whether a function asks for what it keeps under a key: ``if ranks in kept``, and later ``kept[ranks] = ...``."""
    callee = w.frame.callee
    if type(target.operator) not in _MEMBERSHIP or callee is None or not isinstance(callee.node, cst.FunctionDef):
        return False
    return syntax.keeps_under(callee.node, target.comparator, key)


def _is_open(w: Interp, part: Value, whole: Value) -> bool:
    """Whether it is not known what a container of all ranks has, nor that each rank has filled it as its data says."""
    held = w.state.narrow(whole)
    if not isinstance(held, (Unknown, Container)):
        return False
    if isinstance(held, Container) and filling.has(w, held, part) is not None:
        return False
    items = containers.items_of(w, held)
    return items is None or not all(isinstance(item, Const) for item in items)


def _is_kept(w: Interp, target: cst.ComparisonTarget, whole: Value, node: cst.CSTNode) -> Value:
    """Each rank keeps its own under its own key, and has it as soon as the others have theirs."""
    found = Unknown(symbol("in", "kept", terms.key_of(w.state.narrow(whole)), code_of(target.comparator)))
    return found if type(target.operator) is cst.In else operators.negate(w, found, node)


def _is_number_of_rank(w: Interp, left: Value, right: Value) -> bool:
    """Whether something that is reckoned from the rank is held against 0 or less: ``first + rank >= 0``.

    No such number is negative.
    """
    if not isinstance(right, Const) or type(right.value) is not int or right.value > 0:
        return False
    return by_rank_in(w.state.narrow(left))


def _both(w: Interp, node: cst.CSTNode, first: Value, second: Value) -> Value:
    def conjunction(a: Value, b: Value) -> Value:
        known = w.truth(a)
        if isinstance(known, bool):
            return b if known else a
        return terms.derived(("and",), (a, b))

    return w.lift(node, conjunction, first, second)


def compare(w: Interp, op: cst.BaseCompOp, a: Value, b: Value, node: cst.CSTNode, is_number: bool = False) -> Value:
    """One comparison of two narrowed values, asked at ``node``; ``is_number``: what is unknown is not negative."""
    kind = type(op)
    if kind is cst.In or kind is cst.NotIn:
        found = _contains(w, b, a)
        return found if kind is cst.In else operators.negate(w, found, node)
    if kind is cst.Is or kind is cst.IsNot:
        found = _same(_may_be_none(w, a), _may_be_none(w, b))
        return found if kind is cst.Is else operators.negate(w, found, node)
    name, compute, flipped, negated = _COMPARE[kind]
    if isinstance(a, Const) and isinstance(b, Const):
        held = figures.computed(name, compute, (a.value, b.value))
        return unknown("comparison") if held is None else TRUE if held[0] else FALSE
    if name == "==" and a == b and not isinstance(a, Varying):
        return FALSE if negated else TRUE
    if name == "==" and (is_first(w, a, b) or is_first(w, b, a)):
        return FALSE if negated else TRUE
    if name == "==" and _distinct(a, b):
        return TRUE if negated else FALSE
    x, y = (b, a) if flipped else (a, b)
    known = _bounded(w, name, x, y, 0 if is_number else None)
    if known is None and (answer := _on_every_way(compute, a, b)) is not None:
        known = answer is not negated
    asked = _filling(w, name, x, y) or terms.derived(("op", name), (x, y))
    found = asked if known is None else TRUE if known else FALSE
    return operators.negate(w, found, node) if negated else found


def _on_every_way(compute: Callable[[Any, Any], Any], a: Value, b: Value) -> bool | None:
    """The one answer to a question about how many elements there are, where it is the same on every way."""
    sizes = _sizes(a) if isinstance(b, Const) and isinstance(b.value, int) else []
    answers = {bool(compute(size, b.value)) for size in sizes if isinstance(b, Const)}
    return answers.pop() if len(answers) == 1 else None


def _sizes(value: Value) -> list[int]:
    """How many elements a container may have of which each rank's data says what it holds."""
    counted = value.symbol.whole if isinstance(value, Varying) else None
    return [len(way) for part in counted.symbols for way in ways_in(part)] if isinstance(counted, Len) else []


def _filling(w: Interp, name: str, x: Value, y: Value) -> Value | None:
    """``0 < len(a)``, ``len(a) == 0`` and ``len(a) < 1`` as what ``a`` and ``not a`` ask: whether there is anything."""
    if name == "<" and x == Const(0):
        return _any(w, y)
    for size, number in ((x, y), (y, x)) if name == "==" else ((x, y),):
        anything = _any(w, size)
        if anything is not None and number == Const(0 if name == "==" else 1):
            return replace(anything, symbol=symbol("not", anything.symbol))
    return None


def _any(w: Interp, size: Value) -> Unknown | Varying | None:
    own = whether_any(w, size)
    if isinstance(own, Varying) and own is not size:
        return own
    what = measured(size.symbol) if isinstance(size, Unknown) else None
    return Unknown(what) if what is not None else None


def _bounded(w: Interp, name: str, x: Value, y: Value, unknown: int | None) -> bool | None:
    """``x < y`` or ``x == y`` where one side has a known lower bound; ``unknown`` is that of what is not known."""
    for value, other, swapped in ((x, y, False), (y, x, True)):
        if not isinstance(value, Unknown) or not isinstance(other, Const):
            continue
        least = _least(w, value.symbol, unknown)
        if least is None or type(other.value) is not int:
            continue
        if name == "==":
            return False if other.value < least else None
        if swapped:
            return True if other.value < least else None
        return False if other.value <= least else None
    return None


def _least(w: Interp, what: object, unknown: int | None = None) -> int | None:
    """The least that a number can be: how many processes there are, what the value table says, sums and products."""
    if isinstance(what, Const):
        return what.value if type(what.value) is int else None
    if not isinstance(what, Symbol):
        return unknown
    if what in w.record(Sizes).symbols:
        return 2
    if isinstance(what, Operation) and (grows := _GROWS.get(what.sign)) is not None:
        first, second = (_least(w, part, unknown) for part in what.operands)
        known = first is not None and second is not None and min(first, second) >= 0
        return grows(first, second) if known else None
    if isinstance(what, Operation):
        return None
    if isinstance(what.whole, Distinct):
        return 1
    row = w.knowledge.value(str(what.name)) if isinstance(what, Call) else None
    return row.at_least if row is not None and row.at_least is not None else unknown


_GROWS: dict[object, Callable[[Any, Any], int]] = {
    "+": operator.add,
    "*": operator.mul,
}


_COMPARE: dict[type, tuple[str, Callable[[Any, Any], bool], bool, bool]] = {
    cst.Equal: ("==", operator.eq, False, False),
    cst.NotEqual: ("==", operator.ne, False, True),
    cst.LessThan: ("<", operator.lt, False, False),
    cst.GreaterThan: ("<", operator.gt, True, False),
    cst.LessThanEqual: ("<", operator.le, True, True),
    cst.GreaterThanEqual: ("<", operator.ge, False, True),
}

_OBJECTS = (Function, Class, Instance, Container, ModuleValue, Object, Wrapped, Bound, Tuple, Group)


def _distinct(a: Value, b: Value) -> bool:
    return _is_never(a, b) or _is_never(b, a)


def _is_never(one: Value, other: Value) -> bool:
    """Whether a value is a constant that another one cannot be."""
    if not isinstance(one, Const):
        return False
    if isinstance(one.value, str):
        return _is_counter(other) or not _may_read(other, one.value)
    return one.value is None and _is_object(other)


def _may_read(value: Value, text: str) -> bool:
    """Whether a value may be this text: not where a piece that is known of it does not fit."""
    if not isinstance(value, (Unknown, Varying)):
        return True
    return any(
        not isinstance(way.whole, (Text, Operation)) or terms.may_read(terms.known_pieces(Unknown(way)), text)
        for way in joined_ways(value.symbol)
    )


def _is_counter(value: Value) -> bool:
    return isinstance(value, Unknown) and value.symbol.is_fresh("index")


def _is_object(value: Value) -> bool:
    """Whether a value is surely not None; an attribute of an external object may be, and what is drawn from a list."""
    if isinstance(value, Varying):
        if value.reason is not Reason.RANDOM or not isinstance(value.symbol, Fresh):
            return False
        return not any(word in value.symbol.what for word in ("choice", "sample"))
    return isinstance(value, _OBJECTS) and not (isinstance(value, Bound) and isinstance(value.function, External))


def _may_be_none(w: Interp, value: Value) -> Value:
    """A setting of a package that no table knows, as the unknown that it is; any other value as it is."""
    what = w.plain_attribute(value) if isinstance(value, External) else None
    if isinstance(value, Unknown) and (value in w.record(WrappedModels).bare or gradients.are_there(w, value)):
        return Unknown(symbol("supplied", value.symbol, GIVEN))
    if isinstance(value, Unknown) and isinstance(value.symbol.whole, Method):
        name = value.symbol.whole.name
        if any(name in w.knowledge.quiet(kind) for kind in ("given", "tensor_methods")):
            return Unknown(symbol("supplied", value.symbol, GIVEN))
    return value if what is None else Unknown(what)


def _same(a: Value, b: Value) -> Value:
    """``is``: of constants and objects known, of what is worked out from samples the same on all ranks."""
    if isinstance(a, Const) and isinstance(b, Const):
        return TRUE if a == b else FALSE
    if isinstance(a, External) and a == b:
        return TRUE
    if _distinct(a, b) or (NONE in (a, b) and all(value == NONE or is_given(value) for value in (a, b))):
        return FALSE
    for value, against in ((a, b), (b, a)):
        if isinstance(value, Varying) and isinstance(against, Const):
            if may_be_name(value):
                return FALSE if is_drawn_name(value.symbol) else Unknown(symbol("is", value.symbol, against))
            of_fields = value.reason is Reason.DATA and against == NONE  # what samples have, they have on all ranks
            if of_fields and not (value.source is None and is_whole_sample(value.symbol)):
                return Unknown(symbol("is", value.symbol, against))
            return Varying(value.reason, symbol("is", value.symbol, against), value.trail)
    return terms.derived(("is",), (a, b))


def _contains(w: Interp, whole: Value, part: Value) -> Value:
    if isinstance(whole, External) and whole.name == "os.environ" and isinstance(part, Const):
        return environment.is_set(w, str(part.value))
    items = None if isinstance(whole, Const) and isinstance(whole.value, str) else containers.items_of(w, whole)
    if items is not None:
        if not items:
            return FALSE
        if any(item == part and not isinstance(part, Varying) for item in items):
            return TRUE
        if all(isinstance(item, Const) for item in items):
            if isinstance(part, Const):
                return TRUE if any(_equal(item, part) for item in items) else FALSE
            whole = Tuple(tuple(items))  # named by what it holds: the next list of the same asks the same
    if isinstance(whole, Const) and isinstance(part, Const):
        try:
            return TRUE if part.value in whole.value else FALSE
        except Exception:
            return unknown("in")
    if isinstance(part, Const) and grouped.is_of_all(w, whole):
        return TRUE
    if isinstance(whole, Container) and (answer := filling.has(w, whole, part)) is not None:
        return answer
    if isinstance(whole, Varying) and whole.reason is Reason.DATA and _is_key(w, part, whole):
        return Unknown(
            symbol("in", terms.key_of(part), whole.symbol)
        )  # a key by configuration is there on all ranks or none
    return terms.derived(("in",), (part, whole))


def _is_key(w: Interp, part: Value, whole: Varying) -> bool:
    """Whether what is looked for in samples, or in what a model gives, is the name of a field."""
    if collating.row_by_row(w):
        return False
    if isinstance(part, Const):
        given = whole.source is not None and is_whole_output(whole.symbol)
        given |= is_step_output(whole.symbol) or collating.is_one_row(w, whole)
        return isinstance(part.value, str) and (given or is_sample(whole.symbol))
    return not isinstance(part, (Varying, PerRank)) and varying_in(part) is None


def _equal(a: Value, b: Value) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and bool(a.value == b.value)
