"""Methods that a framework calls on the project's subclasses: on which ranks, and with what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.simulate import attributes
from ddplint.simulate.values import Function, Value

if TYPE_CHECKING:
    from ddplint.simulate.walker import Walker


_BY_ANYBODY = frozenset({"forward", "__call__"})
"""Whoever has a module calls these, not a framework alone."""
NOBODY = "none"
"""The ranks of a hook that the framework calls no more."""


def base_of(w: Walker, function: Function) -> str | None:
    """The class of a framework that calls this method by its name; ``None`` where no table says so."""
    if function.owner is None or function.name in _BY_ANYBODY:
        return None
    bases = attributes.external_bases(w, function.owner)
    return next((base for base in bases if function.name in w.knowledge.hooks(base)), None)


def ranks_of(w: Walker, function: Function) -> str:
    """Which ranks the framework calls it on (``all``, ``zero``, ``local_zero``, ``none``); empty without a row."""
    base = base_of(w, function)
    return w.knowledge.hook_ranks(base, function.name) if base is not None else ""


def parameter(w: Walker, function: Function, name: str) -> Value | None:
    """The object that the framework passes under this name, where the tables know its class."""
    base = base_of(w, function)
    kind = w.knowledge.hook_params(base).get(name) if base is not None else None
    return w.external_object(kind, [], {}, function.node) if kind is not None else None
