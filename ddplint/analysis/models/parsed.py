"""Arguments that a parser gives back as objects of the classes that it was told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.values import TRUE, Bound, Class, External, Function, Object, Tuple, Value, unknown
from ddplint.analysis.memory import containers
from ddplint.analysis.openworld.values import initial_state

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp
    from ddplint.knowledge.rows import Parsed


def result(w: Interp, name: str, receiver: Value | None, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """What a call gives that parses arguments; None for all other calls, and where the classes are not known."""
    row = w.knowledge.parsed(name)
    if row is None:
        return None
    told = _told(row, receiver, args, kwargs)
    if told is None:
        return None
    if row.gives == "one":
        return _one(w, told, node)
    classes = containers.items_of(w, told) if not isinstance(told, (Class, External)) else [told]
    if classes is None:
        return None
    made = [_one(w, one, node) or unknown("arguments") for one in classes]
    rest = [unknown("rest")] if row.rest and kwargs.get(row.rest) == TRUE else []
    return Tuple((*made, *rest))


def _told(row: Parsed, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value | None:
    if not row.made:
        return argument(args, kwargs, row.of_arg, row.of_pos)
    return receiver.argument(row.of_pos, row.of_arg) if isinstance(receiver, Object) else None


def _one(w: Interp, told: Value, node: cst.CSTNode) -> Value | None:
    """An object of a class, with fields that nobody knows; what a function gives that is called with them."""
    if isinstance(told, (Bound, Function)):
        return w.semantics.call_value(w, told, [], {"*": unknown("arguments")}, node)
    if isinstance(told, External):
        return w.external_object(told.name, [], {}, node) if w.knowledge.is_class(told.name) else None
    if not isinstance(told, Class):
        return None
    made = w.instance(told)
    initial_state.open_fields(w, made)
    return made
