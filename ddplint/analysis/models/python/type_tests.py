"""Tests for types: ``isinstance`` and what it knows of classes."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    FALSE,
    TRUE,
    Class,
    Const,
    Container,
    Either,
    External,
    Function,
    Instance,
    ModuleValue,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    unknown,
)
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import WrappedModels
from ddplint.analysis.models import results
from ddplint.analysis.models.data import iterables
from ddplint.analysis.models.python import plain_types


def of_one_kind(value: Value) -> Value:
    """Where each rank has its part of something unknown: which part it is differs, not what it is.

    Nor is it another kind of thing where only some have something unknown, and the others hold its place: 0, or a list.
    """
    if isinstance(value, Either):
        return Either(value.symbol, of_one_kind(value.yes), of_one_kind(value.no))
    if not isinstance(value, PerRank):
        return value
    if all(isinstance(part, Unknown) for part in value.values):
        return value.values[0]
    ways = [way for part in value.values for way in alternatives(part)]
    known = [way for way in ways if not isinstance(way, (Unknown, Varying))]
    alike = len({_kind_of(way) for way in known}) == 1 and _kind_of(known[0]) is not None
    return known[0] if alike and len(known) < len(ways) else value


def _kind_of(value: Value) -> object:
    """What kind of plain data it is; None where it is none, or nothing at all."""
    if isinstance(value, Container):
        return value.kind
    return type(value.value) if isinstance(value, Const) and value.value is not None else None


def asked_of(w: Interp, value: Value, kind: Value, node: cst.CSTNode) -> Value:
    """``isinstance(value, kind)``, of any value."""
    return w.lift(node, lambda one: instance_test(w, one, kind), of_one_kind(w.state.narrow(value)))


def instance_test(w: Interp, value: Value, kind: Value) -> Value:
    """``isinstance(value, kind)``."""
    known = _is_a(w, value, kind)
    if known is not None:
        return TRUE if known else FALSE
    return Unknown(symbol("isinstance", terms.key_of(value), terms.key_of(kind)))


_CONTAINERS = frozenset({"builtins.dict", "builtins.list", "builtins.set"})
_PLAIN_DATA = frozenset(f"builtins.{name}" for name in ("bool", "bytes", "complex", "float", "int", "str"))


def _is_a(w: Interp, value: Value, kind: Value) -> bool | None:
    if isinstance(kind, Tuple):
        if len(kind.items) > limits.KINDS_ASKED:
            return None
        answers = [_is_a(w, value, item) for item in kind.items]
        if True in answers or _is_one_of(plain_types.plain_classes(w.knowledge, value), kind.items):
            return True
        return False if all(a is False for a in answers) else None
    if isinstance(kind, External):
        if kind.name == _TENSOR and (isinstance(value, _NO_TENSORS) or value in w.record(WrappedModels).bare):
            return False
        plain = plain_types.plain_classes(w.knowledge, value)
        if plain and (kind.name == _TENSOR or kind.name in _PLAIN_DATA):
            return False if kind.name == _TENSOR else plain_types.is_plain(plain, kind.name[9:])
        if kind.name in _CONTAINERS | {"builtins.tuple"} and (isinstance(value, Wrapped) or iterables.is_loader(value)):
            return False
        if isinstance(value, Wrapped):
            row = w.knowledge.lookup(kind.name)
            made = (
                value.api.form == "class" or value.api is row
            )  # what a call wraps in, it chooses by the configuration
            return value.api is row if row is not None and made else None
        if isinstance(value, Object) and value.name == kind.name:
            return True
        if isinstance(value, Const) and kind.name.startswith("builtins."):
            return type(value.value).__name__ == kind.name[9:] or (
                kind.name == "builtins.int" and value.value in (True, False)
            )
        if isinstance(value, Instance):
            bases = classes.external_bases(w, value.cls)
            return True if kind.name in bases else None
        if kind.name in _PLAIN_DATA and isinstance(value, (Class, Container, Function, ModuleValue, Tuple)):
            return False
        if kind.name in _CONTAINERS and isinstance(value, (Class, Function, ModuleValue)):
            return False
        if isinstance(value, Container) and kind.name in _CONTAINERS:
            return kind.name == f"builtins.{value.kind}" or None
        return None
    if isinstance(kind, Class):
        if isinstance(value, Instance):
            return _is_kind_of(w, value.cls, kind)
        return False if isinstance(value, (Wrapped, Const)) else None
    return None


def _is_one_of(plain: frozenset[str], kinds: Sequence[Value]) -> bool:
    """Whether all of the classes that plain data may be of are among those asked for: a number, ``(int, float)``."""
    asked = [kind.name[9:] for kind in kinds if isinstance(kind, External) and kind.name in _PLAIN_DATA]
    return bool(plain) and all(any(plain_types.is_plain(frozenset({one}), kind) for kind in asked) for one in plain)


def _is_kind_of(w: Interp, cls: Class, kind: Class) -> bool | None:
    """Whether a class of the project is another or derives from it; None where not all of its bases are known."""
    found = list(classes.lineage(w, cls))
    if kind in found:
        return True
    bases = [classes.base_of(w, base) for one in found for base in one.bases]
    known = all(isinstance(base, Class) or _is_of_library(w, base) for base in bases)
    claims = kind.node.keywords or set(classes.external_bases(w, kind)) & _CLAIMING
    return False if known and not claims else None


_CLAIMING = frozenset({"abc.ABC", "typing.Protocol", "typing_extensions.Protocol"})
"""Bases of classes that may claim objects of others for their own."""


def _is_of_library(w: Interp, base: Value) -> bool:
    return isinstance(base, External) and results.is_harmless(w, base.name.partition(".")[0])


_TENSOR = "torch.Tensor"
_NO_TENSORS = (Class, Container, Function, ModuleValue, Tuple, Wrapped)
_OF_EVERYTHING = frozenset(dir(object))


def has_attribute(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        name = args[1].value
        if name in _OF_EVERYTHING:
            return TRUE

        def apply(value: Value) -> Value:
            if isinstance(value, Wrapped) and name in (value.api.unwrap_attr or "module",):
                return TRUE
            if isinstance(value, Instance) and classes.has_own(w, value, name):
                return w.semantics.is_there(w, value, name)
            wrapper = w.record(WrappedModels).bare.get(value)
            if wrapper is not None and name == (wrapper.api.unwrap_attr or "module"):
                return FALSE
            return Unknown(symbol("hasattr", terms.key_of(value), name))

        return w.lift(node, apply, args[0])
    return unknown("hasattr")


def type_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 1:
        return w.lift(node, lambda value: _class_of(w, value), args[0])
    return Unknown(symbol("type", *(terms.key_of(arg) for arg in args)))


def _class_of(w: Interp, value: Value) -> Value:
    """The class of a value, where that is known: a library's own way to wrap models chooses among several."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Wrapped) and value.api.form == "class":
        return External(value.api.name)
    return Unknown(symbol("type", terms.key_of(value)))
