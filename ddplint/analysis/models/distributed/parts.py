"""The modules that a wrapped model is made of: which of them a forward pass uses, and which are not trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import (
    FALSE,
    Bound,
    Container,
    Either,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.analysis.memory import containers, modes
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.models.distributed import drawn_members
from ddplint.analysis.models.distributed.drawn_members import Drawn

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.domain.arguments import Args, Kwargs
    from ddplint.analysis.memory.protocol import Interp


TRAINED = "requires_grad"
"""What says of a parameter, or with a method of this name of a module, whether it is trained."""

_LOOKS = frozenset({"buffers", "extra_repr", "named_buffers", "size", "to", "train", "type", "zero_grad"})
"""Methods of modules that compute nothing with their parameters."""

_PARAMETERS = frozenset({"bias", "weight"})


@dataclass(frozen=True)
class Pass:
    """A forward pass of a wrapped ``model``: its ``number``, and how many calls were active when it began."""

    model: Wrapped
    number: int
    depth: int


@dataclass(slots=True)
class Passes(Record):
    """The forward passes of wrapped models that are being walked, the outermost first."""

    life = Life.SCOPED
    running: list[Pass] = field(default_factory=list)


@contextmanager
def passing(w: Interp, model: Wrapped, number: int) -> Iterator[None]:
    """Walk the forward pass of a wrapped model."""
    running = w.record(Passes).running
    running.append(Pass(model, number, len(w.frames)))
    try:
        yield
    finally:
        running.pop()


def called(w: Interp, function: Value, node: cst.CSTNode) -> None:
    """Note that a module is called, if that happens in the forward pass of a model that it is a part of."""
    if w.record(Passes).running and isinstance(function, (Object, Unknown, Varying)):
        _used(w, function, node)


def asked(w: Interp, module: Value, name: str, node: cst.CSTNode) -> None:
    """Note that a module is asked for its parameters in a forward pass, or for a method that nobody followed."""
    if w.record(Passes).running and isinstance(module, (Object, Instance)) and name not in _LOOKS:
        _used(w, module, node)


def read(w: Interp, module: Object, name: str, node: cst.CSTNode) -> None:
    """Note that a module is asked for a parameter of its own in a forward pass."""
    if w.record(Passes).running and name in _PARAMETERS:
        _used(w, module, node)


def given(w: Interp, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """Note that a library is given modules in a forward pass, as ``checkpoint`` is: it may call them."""
    calls = bool(w.record(Passes).running) and not name.startswith("builtins.")
    for value in (*args, *kwargs.values()) if calls else ():
        bound = value.receiver if isinstance(value, Bound) else value
        if isinstance(bound, (Object, Instance)):
            _used(w, bound, node)


def _used(w: Interp, value: Value, node: cst.CSTNode) -> None:
    used = frozenset(_trained_in(w, value))
    if used:
        begun = w.record(Passes).running[0]
        w.emit(
            "torch.nn.Module.__call__",
            Effect.PART,
            node,
            receiver=value,
            details={
                "wrapped": begun.model,
                "pass_number": begun.number,
                "depth": begun.depth,
                "parts": used,
                "no_grad": modes.flag(w, "no_grad"),
            },
        )


def told(w: Interp, receiver: Value, name: str, flag: Value, node: cst.CSTNode) -> None:
    """Note that a parameter, or all of a module, is not to be trained."""
    if name.rstrip("_") == TRAINED and flag == FALSE:
        left = frozenset(_trained_in(w, receiver))
        w.emit("torch.nn.Module.requires_grad_", Effect.FREEZE, node, receiver=receiver, details={"parts": left})


def _trained_in(w: Interp, value: Value) -> Iterator[int]:
    """The modules with parameters of their own that a value is, holds, or came out of, by their numbers."""
    waiting, seen = [value], set[int]()
    while waiting and len(seen) < limits.MODEL_PARTS:
        one = waiting.pop()
        if isinstance(one, (Instance, Object, Container)):
            if one.id in seen:
                continue
            seen.add(one.id)
            if isinstance(one, Object) and _has_parameters(w, one):
                yield one.id
        waiting += _inside(w, one)


def _inside(w: Interp, value: Value) -> list[Value]:
    if isinstance(value, Instance):
        return [held for _, held in w.state.held(value.id)]
    if isinstance(value, Object):
        return drawn_members.given(w, value) if value.name.startswith("torch.nn.") else []
    if isinstance(value, Container):
        made = w.record(Drawn).made.get(value.id)
        return [made] if made is not None else list(containers.items_of(w, value) or ())
    if isinstance(value, (Unknown, Varying)):
        holder = w.record(Drawn).of.get(value.symbol)
        return list(_made_of(value.symbol)) if holder is None else [holder]
    if isinstance(value, Either):
        return [value.yes, value.no]
    return list(value.items) if isinstance(value, Tuple) else [value.inner] if isinstance(value, Wrapped) else []


_TAKES_OUT = frozenset({"attr", "element", "item", "method", "part"})


def _made_of(what: Symbol) -> Iterator[Value]:
    """What a part was taken out of: ``self.experts`` of ``self.experts[i]``, or of one of its parameters."""
    for part in what.whole.parts if what.head in _TAKES_OUT else ():
        if isinstance(part, Symbol):
            yield Unknown(part)
        elif isinstance(part, Value):
            yield part


def _has_parameters(w: Interp, module: Object) -> bool:
    """Whether it is a layer of torch that has something to train, or a module of the project that nobody walked."""
    place, _, last = module.name.rpartition(".")
    if place.startswith("torch.nn"):
        return last in w.knowledge.quiet("trained")
    return drawn_members.is_unwalked(w, module)
