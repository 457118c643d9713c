"""Counters and sets that are updated with elements: each element is a key then."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, Const, Container, Unknown, Value, unknown, varying_in
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import results


def count(w: Interp, receiver: Container, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """A counter, or a set, is updated with elements: each of them is a key of it then."""
    for given in args:
        keys = containers.items_of(w, given)
        if keys is not None and len(keys) <= limits.KNOWN_ITEMS:
            for key in keys:
                _take_in(w, receiver, key, node)
        elif not filling.taken_in(w, receiver, given):
            held = varying_in(w.state.read((receiver.id, "")) or NONE) or varying_in(results.content(w, given))
            w.state.write((receiver.id, ""), held or Unknown(fresh("content")))
    for name in kwargs:
        _take_in(w, receiver, Const(name), node)


def _take_in(w: Interp, receiver: Container, key: Value, node: cst.CSTNode) -> None:
    if receiver.kind == "dict":
        w.semantics.set_item(w, receiver, key, unknown("count"), node)
    else:
        w.models.call_method(w, "set.add", receiver, [key], {}, node)


def set_update(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``receiver.update(elements)`` of a set."""
    assert isinstance(receiver, Container)
    count(w, receiver, args, {}, node)
    return NONE
