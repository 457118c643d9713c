"""Which handler takes an exception: by the names of its class and of that class's bases."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.simulate import expressions
from ddplint.simulate.trace import Kinds
from ddplint.simulate.values import Class, Deferred, External, Instance, Object, OnRanks, Partial, Value

if TYPE_CHECKING:
    from ddplint.simulate.walker import Walker

_UNKNOWN: Kinds = frozenset()
_BUILTIN: dict[str, type[BaseException]] = {
    f"builtins.{name}": kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}


def raised_by(w: Walker, node: cst.BaseExpression | None) -> Kinds:
    """The class that ``raise`` names, and its bases."""
    kind = node.func if isinstance(node, cst.Call) else node
    return _line(_class_of(w, kind)) if isinstance(kind, (cst.Name, cst.Attribute)) else _UNKNOWN


def caught_by(w: Walker, node: cst.BaseExpression | None) -> Kinds:
    """The classes that ``except`` names."""
    if isinstance(node, cst.Tuple):
        parts = [caught_by(w, element.value) for element in node.elements]
        return frozenset[str]().union(*parts) if all(parts) else _UNKNOWN
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return _UNKNOWN
    kind = _class_of(w, node)
    if isinstance(kind, External):
        known = _BUILTIN.get(kind.name)
        return frozenset({kind.name if known is None else known.__name__})
    return frozenset({kind.name}) if isinstance(kind, (Class, Deferred)) else _UNKNOWN


def _line(kind: Value) -> Kinds:
    """A class with all its bases; nothing where one of them is not known."""
    if isinstance(kind, (Instance, Object)):
        return _line(kind.cls if isinstance(kind, Instance) else External(kind.name))
    if isinstance(kind, External):
        known = _BUILTIN.get(kind.name)
        return frozenset(base.__name__ for base in known.__mro__) if known is not None else _UNKNOWN
    if not isinstance(kind, Class):
        return _UNKNOWN
    bases = [_line(base) for base in kind.bases]
    return frozenset({kind.name}).union(*bases) if bases and all(bases) else _UNKNOWN


def _class_of(w: Walker, node: cst.Name | cst.Attribute) -> Value:
    """The class by its name; one that is imported from the project stays unloaded."""
    if isinstance(node, cst.Name):
        raw = w.state.store.get((w.frame.module.scope, node.value))
        if isinstance(raw, Deferred):
            return raw
    return expressions.evaluate(w, node)


_SURE = frozenset(f"builtins.{name}" for name in "bool callable hasattr isinstance issubclass print repr type".split())
_TELLS_WHO = frozenset({"rank_source", "rank_predicate", "uniform_source"})
_MESSAGE = frozenset({"collective", "point_to_point"})


def note_call(w: Walker, function: Value) -> None:
    """Count a call that may raise: asking who one is does not, nor making an exception; project code says it itself."""
    if isinstance(function, (Class, Partial, OnRanks, Instance)):
        return
    if not isinstance(function, External):
        w.risks.anything += 1
        return
    if function.name in _BUILTIN or function.name in _SURE:
        return
    row = w.knowledge.lookup(function.name)
    if row is not None and row.kind in _TELLS_WHO:
        return
    if row is not None and row.kind in _MESSAGE and function.name.rpartition(".")[0] == "torch.distributed":
        w.risks.broken += 1
    else:
        w.risks.anything += 1


ASSERTION = _line(External("builtins.AssertionError"))
