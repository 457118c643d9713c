"""Plain values that something from elsewhere may have replaced: settings read from a file into an object that has them.

``config.merge_from_file(path)``, ``settings.update(loaded)``, ``setattr(options, name, value)`` under an unknown name,
``exec(text)``: what was a constant is a default after that. Only plain values are forgotten. What
distinguishes ranks, models, loaders and functions rarely come from a file.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Attr, Call, Item, Symbol
from ddplint.analysis.domain.values import (
    UNBOUND,
    Class,
    Const,
    Container,
    Either,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
)
from ddplint.analysis.memory import classes, containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.summaries import syntax
from ddplint.project.modules import Module

_NAMES = "__dict__"
_MAYBE = "<overridden>"
"""Beside an object's attributes: what it was made with, or its class says, need not hold either."""


def attributes_of(w: Interp, base: Value, *, deep: bool = False) -> None:
    """Some attribute of an object was set, nobody knows which; with ``deep``, or of one of those that it holds."""
    seen: set[object] = set()
    waiting = [base]
    while waiting and len(seen) < limits.NESTED_OBJECTS:
        one = w.state.narrow(waiting.pop())
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, Either):
            waiting += (one.yes, one.no)
        elif isinstance(one, Unknown) and isinstance(one.symbol, Item) and isinstance(one.symbol.base, Container):
            held = one.symbol.base  # one of those that a dict or a list has
            pairs = containers.pairs_of(w, held)
            waiting += [pair.items[1] for pair in pairs if isinstance(pair, Tuple)] if pairs else ()
            waiting += (containers.items_of(w, held) or ()) if held.kind != "dict" else ()
        elif isinstance(one, Container):
            items_of(w, one)
        elif isinstance(one, (Instance, Object, Class, Unknown)):
            parts = _forget(w, one)
            if deep:
                waiting += parts


def _forget(w: Interp, base: Instance | Object | Class | Unknown) -> list[Value]:
    """Forget an object's own plain values; the other ones that hold such (settings in groups)."""
    key = base.symbol if isinstance(base, Unknown) else base
    groups: list[Value] = [Unknown(part) for part in w.parts.get(key, ())]
    where = w.owners.get(key) if isinstance(base, Unknown) else classes.place_of(w, base)
    if where is None:
        return groups
    for name in sorted(w.state.names.get(where, ())):
        value = w.state.read((where, name))
        if isinstance(value, Const) and name[:1] != "<":
            w.state.write((where, name), Unknown(symbol("attr", key, name)))
        elif isinstance(value, (Object, Container)):
            groups.append(value)
    if not isinstance(base, (Unknown, Class)):
        w.state.write((where, _MAYBE), Const(True))
    return groups


def may_be(w: Interp, base: Instance | Object) -> bool:
    """Whether some attribute of an object was set under a name that nobody knows."""
    return w.state.read((base.id, _MAYBE)) not in (None, UNBOUND)


def items_of(w: Interp, held: Container) -> None:
    """Something was put into a dictionary, nobody knows under which key."""
    for name in sorted(w.state.names.get(held.id, ())):
        if name[:1] == "[" and isinstance(w.state.read((held.id, name)), Const):
            w.state.write((held.id, name), Unknown(symbol("item", held, name)))
    if isinstance(w.state.read((held.id, "")), Tuple):
        w.state.write((held.id, ""), Unknown(fresh("content")))


def names_of(w: Interp, module: Module) -> None:
    """Some name of a module was bound, nobody knows which.

    Texts and numbers that the module compares with nothing (the backend, a folder) say what is usual, and stay.
    """
    for name in sorted(w.state.names.get(module.scope, ())):
        value = w.state.read((module.scope, name))
        if not isinstance(value, Const) or name[:2] == "__":
            continue
        if value.value is None or isinstance(value.value, bool) or syntax.compares(module.file.module, name):
            w.state.write((module.scope, name), Unknown(symbol("name", module.scope, name)))


def by_method(w: Interp, receiver: Value, args: list[Value], name: str, node: cst.CSTNode) -> None:
    """A method that nothing is known of was called: it may have read its object's settings from somewhere."""
    owner = owner_of_names(receiver)
    if name == "update" and are_globals(receiver):
        names_of(w, w.frame.module)
    elif name == "update" and owner is not None:
        _updated(w, owner, args, node)
    elif isinstance(receiver, (Object, Unknown)) and (args or name != "update"):
        attributes_of(w, receiver, deep=True)


def _updated(w: Interp, owner: Value, args: list[Value], node: cst.CSTNode) -> None:
    """``owner.__dict__.update(...)``: of a dictionary of which all is known (``locals()``), each name is set."""
    pairs = containers.pairs_of(w, args[0]) if len(args) == 1 else None
    if pairs is None or not all(isinstance(pair, Tuple) and _is_name(pair.items[0]) for pair in pairs):
        attributes_of(w, owner)
        return
    for pair in pairs:
        if isinstance(pair, Tuple):
            set_named(w, owner, pair.items[0], pair.items[1], node)


def _is_name(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def set_named(w: Interp, base: Value, name: Value, value: Value, node: cst.CSTNode) -> None:
    """``setattr(base, name, value)``."""
    if isinstance(name, Const) and isinstance(name.value, str):
        w.semantics.set_attribute(w, base, name.value, value, node)
    else:
        attributes_of(w, base)


def are_globals(value: Value) -> bool:
    """Whether it is what ``globals()`` gives."""
    made = value.symbol if isinstance(value, Unknown) else None
    return isinstance(made, Call) and made.is_bare("builtins.globals")


def owner_of_names(receiver: Value) -> Value | None:
    """The object whose ``__dict__`` a value is; None where it is none."""
    made = receiver.symbol if isinstance(receiver, Unknown) else None
    if not isinstance(made, Attr) or made.last != _NAMES:
        return None
    base = made.base
    return Unknown(base) if isinstance(base, Symbol) else base if isinstance(base, Value) else None
