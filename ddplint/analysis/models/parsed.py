"""Arguments that a parser gives back as objects of the classes that it was told of."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.values import (
    NONE,
    TRUE,
    Bound,
    Class,
    Const,
    External,
    Function,
    Instance,
    Object,
    Tuple,
    Value,
    unknown,
)
from ddplint.analysis.memory import classes, containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import options
from ddplint.analysis.openworld.values import initial_state
from ddplint.knowledge.rows import Parsed


def result(w: Interp, name: str, receiver: Value | None, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """What a call gives that parses arguments; None for all other calls, and where the classes are not known."""
    row = w.knowledge.parsed(name)
    if row is None:
        return None
    if row.gives == "itself":
        return _filled(w, row, receiver, node)
    told = _told(row, receiver, args, kwargs)
    if told is None:
        return None
    if row.gives == "one":
        return _one(w, told, node)
    if row.gives == "option":
        return _option(w, row, receiver, told, args, kwargs, node)
    kinds = containers.items_of(w, told) if not isinstance(told, (Class, External)) else [told]
    if kinds is None:
        return None
    made = [_one(w, one, node) or unknown("arguments") for one in kinds]
    rest = [unknown("rest")] if row.rest and kwargs.get(row.rest) == TRUE else []
    return Tuple((*made, *rest))


def _told(row: Parsed, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value | None:
    if not row.made:
        return argument(args, kwargs, row.of_arg, row.of_pos)
    return receiver.argument(row.of_pos, row.of_arg) if isinstance(receiver, Object) else None


def _filled(w: Interp, row: Parsed, receiver: Value | None, node: cst.CSTNode) -> Value | None:
    """The object of which a method is called, once its fields are filled with what was parsed; one of a class."""
    if isinstance(receiver, Class):
        return _one(w, receiver, node)
    if not isinstance(receiver, Instance):
        return None
    initial_state.open_fields(w, receiver)
    after, _ = classes.find_in_class(w, receiver.cls, row.then) if row.then else (None, None)
    if after is not None:
        w.semantics.call_value(w, after, [receiver], {}, node)
    return receiver


def _option(
    w: Interp, row: Parsed, parser: Value | None, told: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value | None:
    """A parser is given a class: what it parses has an object of it as an attribute."""
    name = argument(args, kwargs, row.under_arg, row.under_pos)
    made = _one(w, told, node) if isinstance(parser, Object) and isinstance(name, Const) else None
    if made is None or not isinstance(parser, Object) or not isinstance(name, Const):
        return None
    options.add_option(w, parser, str(name.value), made)
    return NONE


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
