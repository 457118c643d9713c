"""Sums that functions of the standard library do: spans of time, quotients with what is left."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.term import Call
from ddplint.analysis.domain.values import Const, Tuple, Unknown, Value, varying_in
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import results
from ddplint.analysis.openworld.programs import rank_evidence

SPAN = "datetime.timedelta"


def span(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``timedelta(seconds=...)`` of what each rank reads for itself: by keyword it is given nothing but numbers."""
    given = [*args, *kwargs.values()]
    if not any(varying_in(value) for value in given):
        return None
    return results.result_of(w, ("call", SPAN, *map(Const, kwargs)), given, node)


_UNITS = {
    "days": 1440.0,
    "seconds": 1 / 60,
    "microseconds": 1 / 60_000_000,
    "milliseconds": 1 / 60_000,
    "minutes": 1.0,
    "hours": 60.0,
    "weeks": 10080.0,
}
"""Minutes in each unit, in the order in which ``timedelta`` takes them."""


def minutes_of(span: Value | None) -> float | None:
    """How many minutes a ``timedelta`` lasts; ``None`` where that, or what the value is, is not known."""
    made = span.symbol.whole if isinstance(span, Unknown) else None
    if not isinstance(made, Call) or made.name != SPAN or len(made.args) > len(_UNITS):
        return None
    given = [*zip(_UNITS, made.args, strict=False), *((unit, made.named(unit)) for unit in _UNITS)]
    total = 0.0
    for unit, number in given:
        if isinstance(number, Const) and isinstance(number.value, (int, float)):
            total += number.value * _UNITS[unit]
        elif number is not None:
            return None
    return total


def divided(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``divmod(number, by)``: the same two numbers as ``number // by`` and ``number % by``."""
    if len(args) != 2 or kwargs:
        return None
    return Tuple(tuple(_computed(w, sign, compute, args, node) for sign, compute in _PARTS))


def _computed(w: Interp, sign: str, compute: Callable[..., Any], args: Args, node: cst.CSTNode) -> Value:
    number, by = args
    where = rank_evidence.on_its_node(w, node, sign, number, by)
    return where or w.lift(node, lambda a, b: terms.folded(sign, compute, a, b), number, by)


_PARTS: tuple[tuple[str, Callable[..., Any]], ...] = (("//", operator.floordiv), ("%", operator.mod))
