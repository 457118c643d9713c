"""What a filter keeps where the function that it asks goes by who the rank is."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.join import trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    Bound,
    Function,
    Partial,
    PerRank,
    Unknown,
    Value,
    Varying,
    by_rank_in,
)
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import sifted, turns
from ddplint.analysis.models.data import iterables
from ddplint.analysis.models.python.iteration import Handler

_OF_PROJECT = (Bound, Function, Partial)


def or_else(handler: Handler) -> Handler:
    """``filter(test, items)`` where it keeps another number on each rank, and ``handler`` for all others."""

    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        own: Value | None = None
        if len(args) == 2:
            element, _ = w.semantics.element_of(w, args[1], node)
            own = _kept(w, args[0], [element], node)
        return own or handler(w, args, kwargs, node)

    return run


def of_data_set(w: Interp, receiver: Value | None, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``data.filter(test, with_indices=True)`` of a library; None where it keeps as much on all ranks."""
    test = argument(args, kwargs, "function", 0)
    if test is None or receiver is None:
        return None
    given: list[Value] = [Unknown(fresh("row"))]
    if (argument(args, kwargs, "with_indices", 1) or FALSE) not in (FALSE, NONE):
        given.append(turns.counts(w, Unknown(fresh("index")), receiver))
    return _kept(w, test, given, node)


def noted(w: Interp, receiver: Value | None, left: Value) -> Value:
    """What such a filter has left by the data: it is noted that the whole has more elements."""
    if receiver is not None:
        sifted.note(w, left, receiver)
    return left


def _kept(w: Interp, test: Value, given: list[Value], node: cst.CSTNode) -> Varying | None:
    """What stands for the elements that are kept."""
    if not isinstance(test, _OF_PROJECT):
        return None

    def asked() -> Varying | None:
        found = w.state.narrow(w.semantics.call_value(w, test, given, {}, node))
        if not by_rank_in(found):
            return None
        equal = isinstance(found, PerRank) and turns.dealt(w, found) is not None
        reason = Reason.DATA if equal else Reason.LENGTH
        return Varying(reason, fresh("filtered"), w.trail(node, "what this rank keeps", trail_of(found)))

    return iterables.aside(w, asked)
