"""Objects that annotations promise: ``def __init__(self, gang: Gang)``, where ``Gang`` is a class of the project.

Who gives the object is not known, and so nothing is known of what it holds; but what its class says of the ranks
(``gang.is_main``, ``gang.barrier()``) is the class's to say. The object stays an unknown one. Only where a method, a
property or an attribute of it is asked for that the class makes itself, an object of that class stands in, made with
unknown arguments. A method that a class leaves to its subclasses comes from the only one that speaks to other ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import Class, Group, Instance, Object, PerRank, Unknown, Value, Varying, Wrapped
from ddplint.analysis.openworld import abstract_methods, class_choice, initial_state, type_hints
from ddplint.analysis.semantics import attributes, calls

if TYPE_CHECKING:
    from ddplint.analysis.domain.symbols import Symbol
    from ddplint.analysis.interp.interpreter import Walker

_TOLD = (Group, Instance, Object, PerRank, Varying, Wrapped)
"""What ``__init__`` sets that says something about ranks, whatever the arguments are."""
_MAX_MADE = 40
"""So many objects at most stand in, in the walk of one file: each costs the walk of its ``__init__``."""


@dataclass(slots=True)
class Promise:
    """What an annotation says of an unknown object, and the object that stands in for it once somebody asks."""

    annotation: cst.BaseExpression | None
    scope: int
    cls: Class | None = None
    is_read: bool = False
    instance: Instance | None = None


def promise(w: Walker, what: Symbol, annotation: cst.BaseExpression, scope: int) -> None:
    """Remember an annotation, for when somebody asks for an attribute; ``scope``: where its names are looked up."""
    w.promised.setdefault(what, Promise(annotation, scope))


def attribute(w: Walker, base: Unknown, name: str, node: cst.CSTNode) -> Value | None:
    """A method, property or telling attribute of an unknown object whose class an annotation names; None otherwise."""
    promised = w.promised.get(base.symbol)
    cls = _class(w, promised) if promised is not None else class_choice.class_with(w, base.symbol, name)
    if cls is None:
        return None
    promised = promised or w.promised.setdefault(base.symbol, Promise(None, cls.scope, cls, is_read=True))
    found, _owner = attributes.find_in_class(w, cls, name)
    part = type_hints.annotation_of(w, cls, name)
    if part is not None:
        promise(w, symbol("attr", base.symbol, name), part[1], part[0].scope)
    if found is None and not _sets(w, cls, name):
        return None
    kind = attributes.method_kind(w, found) if found is not None else "value"
    if kind in ("classmethod", "staticmethod"):
        return attributes.of_class(w, cls, name, node)
    if kind == "value":
        held = w.state.read((_object(w, promised, cls).id, name))
        known = isinstance(held, _TOLD) or (isinstance(held, Unknown) and held.symbol in w.promised)
        return held if known else None
    method = abstract_methods.function_of(found) if found is not None else None
    if method is None or abstract_methods.is_left_open(method):
        return None
    instance = _object(w, promised, cls)
    initial_state.open_instance(w, instance, name)
    return attributes.of_instance(w, instance, name, node)


def _class(w: Walker, promised: Promise) -> Class | None:
    """The class that an annotation names, or the only subclass of an abstract one that speaks to other ranks."""
    if not promised.is_read:
        promised.is_read = True
        written = promised.annotation
        named = type_hints.class_of(w, written, promised.scope) if written is not None else None
        promised.cls = abstract_methods.the_one_that_speaks(w, named) if isinstance(named, Class) else None
    return promised.cls


def _sets(w: Walker, cls: Class, name: str) -> bool:
    """Whether some method of the class may set the attribute."""
    return any(f"self.{name}" in one.module.text for one in attributes.lineage(w, cls))


def _object(w: Walker, promised: Promise, cls: Class) -> Instance:
    """The object that stands in for an unknown one, made with unknown arguments."""
    if promised.instance is not None:
        return promised.instance
    made = promised.instance = Instance(next(w.ids), cls)
    w.imagined.add(made.id)
    start, _owner = attributes.find_in_class(w, cls, "__init__")
    if start is None:
        initial_state.open_fields(w, made)
        return made
    w.stood_in += 1
    if w.stood_in <= _MAX_MADE:
        called, distributed = set(w.called), w.distributed
        with calls.out_of_sight(w, cls.module):
            calls.call_value(w, start, [made], {}, cls.node.name)
        w.called &= called
        w.distributed = distributed
    return made
