"""Methods that a framework calls on the project's subclasses: on which ranks, and with what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.provenance import STEP_OUTPUT
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, TRUE, Class, Function, Instance, Value, Varying
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.source.tree import positional

_BY_ANYBODY = frozenset({"forward", "__call__"})
"""Whoever has a module calls these, not a framework alone."""
DRAWS, TRAINS = "draw", "train"
"""What a framework does with a loader that a hook returns: it draws from it, or trains on it as it is."""
EACH = "each"
"""The ranks of a hook that every rank runs by itself, as often as it likes: they cannot meet there."""
NOBODY = "none"
"""The ranks of a hook that the framework calls no more."""


def base_of(w: Interp, function: Function) -> str | None:
    """The class of a framework that calls this method by its name; ``None`` where no table says so."""
    if function.owner is None or function.name in _BY_ANYBODY:
        return None
    bases = [*classes.external_bases(w, function.owner), *_own_bases(w, function.owner)]
    return next((base for base in bases if function.name in w.knowledge.hooks(base)), None)


def _own_bases(w: Interp, owner: Class) -> Iterator[str]:
    """The names that the tables may have the bases of a class under, where a framework's own sources are checked.

    Packages pass on what their modules define: ``package.part.module.Hook`` is ``package.part.Hook`` for others.
    """
    for cls in classes.lineage(w, owner):
        package = cls.module.name
        while cls is not owner and "." in package:
            yield f"{package}.{cls.name}"
            package = package.rpartition(".")[0]


def ranks_of(w: Interp, function: Function) -> str:
    """Which ranks the framework calls it on, as its row says (``all``, ``zero``, …); empty without one."""
    base = base_of(w, function)
    return w.knowledge.hook_ranks(base, function.name) if base is not None else ""


def turn_of(w: Interp, function: Function) -> Sequence[str]:
    """The hooks of one pass that a hook is one of, in their order; empty where no table says."""
    base = base_of(w, function)
    return w.knowledge.hooks_in_turn(base, function.name) if base is not None else ()


def parameter(w: Interp, function: Function, name: str) -> Value | None:
    """The object that the framework passes under this name, where the tables know its class."""
    base = base_of(w, function)
    if base is None:
        return None
    params = positional(function.node.params)
    for field, what in (("own_pos", "batch"), ("out_pos", STEP_OUTPUT), ("loader_pos", "loader")):
        place = w.knowledge.hook_place(base, function.name, field)
        if place is not None and name in params[place + 1 : place + 2]:
            return Varying(Reason.DATA, fresh(what))
    kind = w.knowledge.hook_params(base).get(name)
    return w.external_object(kind, [], {}, function.node) if kind is not None else None


def then_of(w: Interp, function: Function, receiver: Value) -> str:
    """What the framework does with what a method returns; empty where it does nothing, or perhaps nothing."""
    base = base_of(w, function)
    then, unless = w.knowledge.hook_then(base, function.name) if base is not None else ("", "")
    if then and unless and isinstance(receiver, Instance):
        told = w.state.read((receiver.id, unless)) or classes.find_in_class(w, receiver.cls, unless)[0]
        return then if told is None or told == TRUE else ""
    return then


def follow(w: Interp, value: Value, node: cst.Return) -> None:
    """A value goes back to a framework, which runs the backward pass of what is not None."""

    def train() -> None:
        event = w.emit("torch.Tensor.backward", Effect.FRAMEWORK_BACKWARD, node, label="gradient all-reduce")
        w.operate(event, "backward")

    def run(seen: Value) -> None:
        if isinstance(seen, Varying) and seen.reason is Reason.EXCEPTION:  # there is one where nothing failed
            w.branch(seen, node, node, GuardKind.IF, train, lambda: None)
        elif seen != NONE:
            train()

    w.split(value, node, GuardKind.IF, run)
