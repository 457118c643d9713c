"""Objects that pass on what they are asked for: ``def __getattr__(self, name): return getattr(self.inner, name)``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.values import UNBOUND, Function, Instance, Value, Wrapped
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.source.ancestry import nodes_of
from ddplint.source.tree import dotted, positional

_TABLES = frozenset({"__dict__", "_modules"})
_WAYS = frozenset({"__getattr__", "__getattribute__"})


def asked_instead(w: Interp, base: Instance, name: str) -> Value | None:
    """Whom an object asks for what the project does not give it itself, over all that pass the question on.

    None where it asks nobody that is known, or those who are asked pass it on in a circle.
    """
    seen = {base.id}
    found = _inner(w, base, name)
    while isinstance(found, Instance) and not classes.has_own(w, found, name):
        if found.id in seen:
            return None
        seen.add(found.id)
        further = _inner(w, found, name)
        if further is None:
            break
        found = further
    return found


def _inner(w: Interp, base: Instance, name: str) -> Value | None:
    """The object that ``__getattr__`` of another one asks."""
    handing, _ = classes.find_in_class(w, base.cls, "__getattr__")
    attribute = inner_of(handing) if isinstance(handing, Function) else None
    inner = w.state.read((base.id, attribute)) if attribute not in (None, name) else None
    return None if inner is UNBOUND else inner


def has_it(w: Interp, inner: Value | None, name: str) -> bool:
    """Whether the project defines a method for who is asked, also behind a wrapper."""
    inner = inner.inner if isinstance(inner, Wrapped) and name != "forward" else inner
    return isinstance(inner, Instance) and classes.has_own(w, inner, name)


def inner_of(function: Function) -> str | None:
    """The attribute that holds who is asked in an object's place.

    Parameters: ``function``, the class's ``__getattr__``. None where it names nobody, or more than one.
    """
    names = positional(function.node.params)
    if len(names) != 2:
        return None
    found = set(_asked(function.node, *names))
    return found.pop() if len(found) == 1 else None


def _asked(function: cst.CSTNode, own: str, name: str) -> Iterator[str]:
    """The attributes of its own that a function asks for what it was asked for."""
    for call in nodes_of(function, cst.Call):
        values = [arg.value for arg in call.args]
        if dotted(call.func) != "getattr" or len(values) < 2 or dotted(values[1]) != name:
            continue
        owner, _, attribute = dotted(values[0]).partition(".")
        found = attribute if owner == own else _by_name(values[0])
        if found and "." not in found:
            yield found


def _by_name(node: cst.BaseExpression) -> str | None:
    """The name in ``self.__dict__["inner"]`` or ``super().__getattr__("inner")``."""
    named: cst.BaseExpression | None = None
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute) and len(node.slice) == 1:
        index = node.slice[0].slice
        named = index.value if isinstance(index, cst.Index) and node.value.attr.value in _TABLES else None
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _WAYS:
        named = node.args[-1].value if node.args else None
    text = named.evaluated_value if isinstance(named, cst.SimpleString) else None
    return text if isinstance(text, str) else None
