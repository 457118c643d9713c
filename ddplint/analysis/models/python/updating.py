"""Dictionaries of which only the ways are known, updated: by what is missing, or with another one."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import local_join
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, Const, Container, Tuple, Unknown, Value, varying_in
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.contents import ways
from ddplint.analysis.memory.filling import of_element, own_length
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import options
from ddplint.analysis.openworld.values import reflective_writes


def add_missing(w: Interp, receiver: Container, key: Value, default: Value) -> Value | None:
    """``setdefault`` where ranks have filled a dictionary differently: what was there, or else the default."""
    content = w.state.read((receiver.id, "")) or NONE
    if not isinstance(key, Const) and ways.is_known(content):
        w.state.write((receiver.id, ""), ways.with_entry(content, Tuple((key, default))))
        return None
    if not isinstance(key, Const) or not ways.is_known(content) or ways.has_key(content, key) is True:
        return containers.stored_item(w, receiver, key)
    there = containers.stored_item(w, receiver, key)
    value = default if there is None else _one_of(content, there, default)
    w.semantics.set_item(w, receiver, key, value, cst.Name("setdefault"))
    return value


def found(w: Interp, receiver: Value, key: Value, default: Value) -> Value:
    """``get`` where each rank's data decides which keys there are."""
    assert isinstance(receiver, Container)
    content = w.state.read((receiver.id, "")) or NONE
    there = containers.stored_item(w, receiver, key)
    known = ways.has_key(content, key) if isinstance(key, Const) else None
    if known is not None:
        return there or Unknown(fresh("content")) if known else default
    return _one_of(content, there, default) if there is not None else of_element(own_length(w, receiver)) or default


def _one_of(content: Value, there: Value, default: Value) -> Value:
    """What a rank has under a key: what was there, or the default."""
    local = varying_in(content)
    return local_join(local, there, default) if local is not None else Unknown(fresh("content"))


def updated(w: Interp, receiver: Container, more: Value) -> Value:
    """What a dictionary holds after an update with something that is not known entry by entry."""
    content = w.state.read((receiver.id, "")) or NONE
    cause = filling.own_length(w, more)
    joint = ways.united(content, cause) if cause is not None else None
    if joint is not None:
        for key in (key for way in ways.ways_of(cause or NONE) for key in way):
            value = containers.stored_item(w, more, key) or Unknown(fresh("content"))
            w.state.write((receiver.id, f"[{key.value!r}]"), value)
        return joint
    return cause or varying_in(more) or Unknown(fresh("content"))


def take_over(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """``update`` of settings that nobody knows: under the names that are surely given, they have what is given."""
    given = args[0] if len(args) == 1 else NONE
    for pair in containers.pairs_of(w, given) or _options_in(w, given, node):
        if isinstance(pair, Tuple):
            w.semantics.set_item(w, receiver, pair.items[0], pair.items[1], node)
    for name, value in kwargs.items():
        w.semantics.set_item(w, receiver, Const(name), value, node)


def _options_in(w: Interp, given: Value, node: cst.CSTNode) -> list[Value]:
    """The options of the command line with their names, where it is ``vars(args)``."""
    namespace = reflective_writes.owner_of_names(given)
    names = options.names_in(w, namespace) if namespace is not None else ()
    return [Tuple((Const(name), w.semantics.get(w, namespace, name, node))) for name in names if namespace is not None]


def has_taken(w: Interp, receiver: Container, value: Value) -> bool:
    """Whether it is known that a set holds a value, now that it was added."""
    content = w.state.read((receiver.id, "")) or NONE
    if not isinstance(value, Const) or not ways.is_known(content):
        return False
    w.state.write((receiver.id, ""), ways.with_key(content, value))
    return True
