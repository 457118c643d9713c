"""What is switched on and off: gradients, flags of rows, the ``when`` and the ``kept`` of a collective."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import FALSE, TRUE, Const, Object, Value
from ddplint.analysis.memory.records import Life, Record
from ddplint.knowledge import Api, tables

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


_SWITCH = re.compile(r"(\w+)(?:=| (?=is))(True|False|is not None)( \(default\))?(?: or |$)")


@dataclass(slots=True)
class GradFree(Record):
    """The functions that run without gradients, by their keys."""

    life = Life.FILE
    functions: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Contexts(Record):
    """What context managers are entered for, by the object that a row has made."""

    life = Life.FILE
    rows: dict[int, Api] = field(default_factory=dict)


def holds(w: Interp, row: Api, kwargs: Mapping[str, Value], receiver: Value | None) -> bool:
    """Whether a collective surely happens.

    A condition that names an argument (``sync_dist=True``, ``barrier=True (default)``, ``root is not None``) is looked
    up among those of the call and those the object was made with; any other condition is not known to hold. Where the
    result is kept until the object changes, only the first call communicates.
    """
    if row.when and not switched_on(row.when, kwargs, receiver):
        return False
    if "kept" not in row.also or receiver is None:
        return True
    where = (w.owner(receiver), "#kept")
    kept = w.state.read(where) == TRUE
    w.state.write(where, TRUE)
    return not kept


def changed(w: Interp, receiver: Value) -> None:
    """Another method of an object was called: what it kept is no longer true."""
    if receiver in w.owners and w.state.store.get((w.owner(receiver), "#kept")) is not None:
        w.state.write((w.owner(receiver), "#kept"), FALSE)


def switched_on(when: str, kwargs: Mapping[str, Value], receiver: Value | None) -> bool:
    """Whether the argument that a condition names has the value it asks for, in a call or where the object was made."""
    switch = _SWITCH.match(when)
    if switch is None:
        return False
    name, wanted, default = switch.groups()
    made_with = dict(receiver.kwargs) if isinstance(receiver, Object) else {}
    given = kwargs.get(name, made_with.get(name))
    if given is None:
        return default is not None
    if wanted == "is not None":
        return isinstance(given, Const) and given.value is not None
    return isinstance(given, Const) and given.value is (wanted == "True")


_ALONE = {"devices": (1, "1"), "num_processes": (1,)}
"""Arguments with which a framework's object is made for one process alone."""


def alone(w: Interp, receiver: Value | None) -> bool:
    """Whether a framework's object (``Fabric(devices=1)``) was made for one process: then nobody waits for anybody."""
    if not isinstance(receiver, Object) or not w.knowledge.is_class(receiver.name):
        return False
    made_with = dict(receiver.kwargs)
    given = {name: made_with[name] for name in _ALONE if name in made_with}
    return "num_nodes" not in made_with and any(
        isinstance(value, Const) and value.value in _ALONE[name] and value.value is not True
        for name, value in given.items()
    )


NO_GRAD = tables.names("without_gradients")

GRAD_MODES = NO_GRAD | tables.names("gradient_modes")


def turns_grad_off(name: str, args: Sequence[Value]) -> bool:
    """Whether a context manager or decorator (its full name) switches gradients off."""
    return name in NO_GRAD or (name in GRAD_MODES and name.endswith("set_grad_enabled") and tuple(args[:1]) == (FALSE,))


def flag(w: Interp, name: str) -> bool:
    """Whether a mode (``no_grad``, ``no_sync``) is on."""
    return w.state.read((0, name)) == TRUE


def flagged(w: Interp, name: str, body: Callable[[], None]) -> None:
    before = w.state.read((0, name)) or FALSE
    w.state.write((0, name), TRUE)
    try:
        body()
    finally:
        w.state.write((0, name), before)
