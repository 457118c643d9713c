"""Classes of the project: what they and their bases define."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.values import (
    UNBOUND,
    Class,
    Const,
    Deferred,
    External,
    Function,
    Instance,
    ModuleValue,
    Object,
    OnRanks,
    Partial,
    Unknown,
    Value,
    Varying,
    Wrapped,
)

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


def find_in_class(w: Interp, cls: Class, name: str, depth: int = 0) -> tuple[Value | None, Class | None]:
    """A class attribute through the bases (depth first), with the class that defines it."""
    found = w.state.read((cls.key, name))
    if found is not None and found is not UNBOUND:
        return found, cls
    if depth > limits.BASES:
        return None, None
    for base in cls.bases:
        base = base_of(w, base)
        if isinstance(base, Class):
            value, owner = find_in_class(w, base, name, depth + 1)
            if value is not None:
                return value, owner
    return None, None


def default_of(w: Interp, base: Value, name: str) -> Const | None:
    """The plain value that a class gives its objects for an attribute which is not set on them."""
    found = find_in_class(w, base.cls, name)[0] if isinstance(base, Instance) else None
    return found if isinstance(found, Const) else None


def lineage(w: Interp, cls: Class, depth: int = 0) -> Iterator[Class]:
    """A class and its bases in the project."""
    yield cls
    for base in cls.bases if depth < limits.BASES else ():
        found = base_of(w, base)
        if isinstance(found, Class):
            yield from lineage(w, found, depth + 1)


def behind(w: Interp, cls: Class, owner: Class) -> list[Value]:
    """What is asked behind ``owner`` for what an object of ``cls`` inherits: classes, those of libraries too."""
    ways = list(_with_bases(w, cls))
    last = {_identity(one): number for number, one in enumerate(ways)}
    order = [one for number, one in enumerate(ways) if last[_identity(one)] == number]
    places = [number for number, one in enumerate(order) if _identity(one) == owner.key]
    return order[places[0] + 1 :] if places else list(owner.bases)


def _with_bases(w: Interp, cls: Class, depth: int = 0) -> Iterator[Value]:
    yield cls
    for base in cls.bases if depth < limits.BASES else ():
        found = base_of(w, base)
        if isinstance(found, Class):
            yield from _with_bases(w, found, depth + 1)
        else:
            yield found


def _identity(cls: Value) -> object:
    return cls.key if isinstance(cls, Class) else cls


def base_of(w: Interp, base: Value) -> Value:
    """A base class, loaded when somebody asks."""
    return w.semantics.resolve(w, base) if isinstance(base, Deferred) else w.state.narrow(base)


def external_bases(w: Interp, cls: Class, depth: int = 0) -> list[str]:
    """Names of the external classes a project class derives from."""
    found: list[str] = []
    for base in cls.bases:
        base = base_of(w, base)
        if isinstance(base, External):
            found.append(base.name)
        elif isinstance(base, Class) and depth < 12:
            found += external_bases(w, base, depth + 1)
    return found


def method_kind(w: Interp, value: Value) -> str:
    """``property``, ``staticmethod``, ``classmethod``, ``method`` or ``value`` for a class attribute."""
    if isinstance(value, Object) and value.name in _DESCRIPTORS:
        return _DESCRIPTORS[value.name]
    if isinstance(value, (Function, OnRanks)):
        return "method"
    return "value"


_DESCRIPTORS = {
    "builtins.property": "property",
    "functools.cached_property": "property",
    "builtins.staticmethod": "staticmethod",
    "builtins.classmethod": "classmethod",
}


def plain(value: Value) -> Value:
    """What a descriptor was made of."""
    return value.args[0] if isinstance(value, Object) and value.args else value


def has_own(w: Interp, base: Instance, name: str) -> bool:
    """Whether the project itself gives an object this attribute."""
    own = w.state.read((base.id, name))
    return (own is not None and own is not UNBOUND) or find_in_class(w, base.cls, name)[0] is not None


def inherited(w: Interp, bases: list[str], name: str) -> str:
    """The full name of a method that comes from an external base: one that the tables know, else the first."""
    known = (f"{base}.{name}" for base in bases if w.knowledge.lookup(f"{base}.{name}") is not None)
    return next(known, f"{bases[0]}.{name}")


def place_of(w: Interp, base: Value) -> int | None:
    """The key under which the store has an object's attributes; None where it has none."""
    if isinstance(base, (Instance, Object, Wrapped)):
        return base.id
    if isinstance(base, Class):
        return base.key
    if isinstance(base, ModuleValue):
        return base.module.scope
    if isinstance(base, (Unknown, Varying)):
        return w.owner(base.symbol)
    if isinstance(base, (External, Function, OnRanks, Partial)):
        return w.owner(base)
    return None
