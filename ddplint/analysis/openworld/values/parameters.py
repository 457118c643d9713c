"""What a parameter holds where nobody calls the function: a default, a choice, what is usual."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain.arguments import Kwargs
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.values import Function, Unknown, Value, Varying, unknown, varying_in
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.openworld.programs import framework_hooks, rank_evidence
from ddplint.analysis.openworld.values import type_hints
from ddplint.analysis.summaries import syntax
from ddplint.knowledge import rank_words


@dataclass(slots=True)
class Entered(Record):
    """The function that is entered through what its decorator made of it, by its key."""

    life = Life.SCOPED
    through: int | None = None


def given(w: Interp, function: Function, param: cst.Param, kwargs: Kwargs, spread: Value | None) -> Value:
    name = param.name.value
    if name in kwargs:
        return kwargs.pop(name)
    entered = function.key == w.record(Entered).through
    if spread is not None and not entered:
        local = varying_in(spread)
        if local is not None:
            return Varying(local.reason, fresh(name), local.trail)
        return rank_evidence.of_parameter(w, function, param) or unknown(name)
    is_entry = entered or len(w.frames) == 2
    is_open = is_entry and not (param.default is not None and _is_left_out(w, function))
    found = rank_evidence.of_parameter(w, function, param) if is_open else None
    if found is not None:
        return found
    if is_open and _is_switch(function, param):
        return typed(w, function, param) or _open(param)
    if param.default is not None:
        scope, w.frame.scope = w.frame.scope, function.scope
        try:
            return w.semantics.evaluate(w, param.default)
        finally:
            w.frame.scope = scope
    return rank_evidence.of_parameter(w, function, param) or typed(w, function, param) or _open(param)


def _open(param: cst.Param) -> Unknown:
    """An argument that nobody gives."""
    return Unknown(symbol("parameter", param.name.value, fresh(param.name.value)))


def is_called_by_nobody(w: Interp) -> bool:
    """Whether a walk begins with this function: who calls it, and with what, is not known."""
    return len(w.frames) == 2 and not isinstance(w.frame.call, cst.Call)


def _is_left_out(w: Interp, function: Function) -> bool:
    """Whether a call in the program leaves the argument out, and no decorator gives it."""
    return isinstance(w.frame.call, cst.Call) and not getattr(function.node, "decorators", ())


_CHOICES = ("strategy", "mode", "parallel", "sharding", "distributed", "engine", "wrap")


def _is_switch(function: Function, param: cst.Param) -> bool:
    """Whether a default is one of several cases, of which an unknown caller may want another.

    Groups are taken to be the world where nobody says otherwise.
    """
    name, given = param.name.value, param.default
    if isinstance(given, cst.Integer) and given.value in ("0", "1") and rank_words.NUMBER_OF_PROCESSES.fullmatch(name):
        return True
    if isinstance(given, cst.SimpleString) and any(word in name for word in _CHOICES):
        return True
    if isinstance(given, (cst.SimpleString, cst.Integer, cst.Float, cst.UnaryOperation)):
        return _is_compared(function, name)
    return isinstance(given, cst.Name) and given.value in ("None", "True", "False") and "group" not in name


def _is_compared(function: Function, name: str) -> bool:
    """Whether a function asks which case an argument is, or the object does that it is kept in."""
    node, owner = function.node, function.owner
    if not isinstance(node, cst.FunctionDef):
        return False
    if syntax.compares(node, name):
        return True
    return owner is not None and any(syntax.compares(owner.node, kept) for kept in syntax.kept_as(node, name))


def typed(w: Interp, function: Function, param: cst.Param) -> Value | None:
    """A parameter whose annotation, or the framework that calls the method, names a class that the tables know."""
    given = framework_hooks.parameter(w, function, param.name.value)
    if param.annotation is None or isinstance(given, Varying):
        return given
    return type_hints.value(w, param.annotation.annotation, function.scope, param.name.value)
