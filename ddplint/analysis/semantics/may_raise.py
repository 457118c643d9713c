"""Which handler takes an exception: by the names of its class and of that class's bases."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import libcst as cst

from ddplint.analysis.domain import provenance
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.term import Attr
from ddplint.analysis.domain.values import (
    Class,
    Const,
    Deferred,
    External,
    Function,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Unknown,
    Value,
    Varying,
    varying_in,
)
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.trace.nodes import Kinds
from ddplint.knowledge import Api, tables
from ddplint.source.ancestry import nodes_of
from ddplint.source.tree import code_of

_UNKNOWN: Kinds = frozenset()
_BUILTIN: dict[str, type[BaseException]] = {
    f"builtins.{name}": kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}


def raised_by(w: Interp, node: cst.BaseExpression | None) -> Kinds:
    """The class that ``raise`` names, and its bases."""
    kind = node.func if isinstance(node, cst.Call) else node
    return _line(_class_of(w, kind)) if isinstance(kind, (cst.Name, cst.Attribute)) else _UNKNOWN


def caught_by(w: Interp, node: cst.BaseExpression | None) -> Kinds:
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


def is_of_the_project(w: Interp, node: cst.BaseExpression | None) -> bool:
    """Whether ``except`` names classes of the project alone: no library raises them."""
    if isinstance(node, cst.Tuple):
        return bool(node.elements) and all(is_of_the_project(w, element.value) for element in node.elements)
    return isinstance(node, (cst.Name, cst.Attribute)) and isinstance(_class_of(w, node), (Class, Deferred))


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


def _class_of(w: Interp, node: cst.Name | cst.Attribute) -> Value:
    """The class by its name; one that is imported from the project stays unloaded."""
    if isinstance(node, cst.Name):
        raw = w.state.store.get((w.frame.module.scope, node.value))
        if isinstance(raw, Deferred):
            return raw
    return w.semantics.evaluate(w, node)


_TELLS_WHO = frozenset({"rank_source", "rank_predicate", "uniform_source"})
_MESSAGE = frozenset({"collective", "init", "point_to_point"})
_NUMBERS = frozenset({Reason.CLOCK, Reason.RANDOM})
_DRAWN = frozenset({"clock", "random"})
"""What differs between ranks although nothing can fail on one of them."""
_LOADS = frozenset({"load_checkpoint", "load_state"})
"""Methods that read a checkpoint: it is there for all ranks or for none."""


def note_call(
    w: Interp, function: Value, args: Sequence[Value] = (), kwargs: Mapping[str, Value] = MappingProxyType({})
) -> None:
    """Count a call that may raise on one rank alone.

    Asking who one is does not, nor does making an exception; project code says it itself. Reading a file that all ranks
    read, and working with what is the same on all ranks, fails on all of them or on none.
    """
    if isinstance(function, (Class, Partial, OnRanks, Instance)):
        return
    name = function.name if isinstance(function, External) else _method_of(function)
    if name in _BUILTIN or name in tables.names("never_fails"):
        return
    row = w.knowledge.lookup(name) if isinstance(function, External) else None
    if row is not None and row.kind in _TELLS_WHO:
        return
    if row is not None and row.kind in _MESSAGE and name.rpartition(".")[0] == "torch.distributed":
        w.risks.broken += 1
    elif not _fails_alike(w, name, row, (*args, *kwargs.values(), function)):
        w.risks.note(w.state.path, own=_is_own(row, (*args, *kwargs.values())))
    elif (row is not None and row.effect == Effect.READ) or name.rpartition(".")[2] in _LOADS:
        w.risks.reads += 1


def note_unfollowed(w: Interp, function: Function, given: Sequence[Value]) -> None:
    """Count a call of project code that is not walked since it speaks to nobody; it may read files."""
    own = _is_own(None, given)
    w.risks.note(w.state.path, own=own)
    w.risks.translated += 1
    w.risks.reads += not own and _reads(w, function.node)


def _reads(w: Interp, function: cst.CSTNode) -> bool:
    """Whether the code of a function reads a file."""
    calls = (node.func for node in nodes_of(function, cst.Call))
    rows = (w.knowledge.lookup(code_of(called)) for called in calls if isinstance(called, cst.Attribute))
    return any(row is not None and row.effect == Effect.READ for row in rows)


def _is_own(row: Api | None, given: Sequence[Value]) -> bool:
    """Whether a call works on something of the rank's own (its number, a device, is nothing to work on), or fetches."""
    fetches = row is not None and row.effect == Effect.DOWNLOAD
    return fetches or not all(_is_known(value) or provenance.is_shared(value) for value in given)


def note_use(w: Interp, *values: Value) -> None:
    """Count an operation on values: it may raise on one rank alone where one of them is that rank's own."""
    w.risks.note(w.state.path, not all(map(provenance.is_shared, values)))


def note_sum(w: Interp, *values: Value) -> None:
    """Count an operator between values, as :func:`note_use` does; what the clock shows or chance draws is a number."""
    note_use(w, *(value for value in values if not (isinstance(value, Varying) and value.reason in _NUMBERS)))


def _method_of(function: Value) -> str:
    """The name of a method of something unknown."""
    made = function.symbol if isinstance(function, Unknown) else None
    return f".{made.last}" if isinstance(made, Attr) else ""


def _fails_alike(w: Interp, name: str, row: Api | None, given: tuple[Value, ...]) -> bool:
    """Whether a call fails on all ranks or on none, with what it is given."""
    if row is not None and row.effect == Effect.READ:
        return all(map(provenance.is_shared, given))
    if name.rpartition(".")[2] in _LOADS:
        return all(map(provenance.is_shared, given))
    drawn = w.knowledge.value(name)
    if drawn is not None and drawn.varying in _DRAWN:
        return all(map(provenance.is_shared, given))
    quiet = w.knowledge.quiet
    known = name in quiet("plain_functions") or name.rpartition(".")[2] in quiet("plain_methods")
    known = known or tables.begins("fails_alike", name)
    known = known or (name in quiet("tensors") and all(map(_is_known, given)))
    if row is not None and row.kind == "device":
        return all(map(provenance.is_shared, given))
    return known and not any(map(varying_in, given))


def _is_known(value: Value) -> bool:
    """Whether a value is the same on all ranks and no element of what a loop goes over, or a known number of each."""
    if isinstance(value, PerRank):
        return all(isinstance(part, Const) for part in value.values)
    return provenance.is_shared(value) and not (isinstance(value, Unknown) and value.symbol.counters)


ASSERTION = _line(External("builtins.AssertionError"))
