"""What programs do with parameters beside training them: give them to optimizers, clip, ask for what lies here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Attr, Call, Item, Method, Part
from ddplint.analysis.domain.values import (
    NONE,
    Bound,
    Const,
    Container,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    varying_in,
)
from ddplint.analysis.memory import containers, wrapping
from ddplint.analysis.memory.contents import joined
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.distributed import drawn_members, parts
from ddplint.analysis.models.distributed.drawn_members import Drawn
from ddplint.analysis.models.distributed.meshes import tensors
from ddplint.analysis.trace.events import Details
from ddplint.knowledge import Api, tables

if TYPE_CHECKING:
    _Handler = Callable[[Interp, Args, Kwargs, cst.CSTNode], Value | None]

_TENSOR = "torch.Tensor."
_FILLS = frozenset({"add_", "copy_", "div_", "fill_", "lerp_", "mul_", "normal_", "sub_", "uniform_", "zero_"})
"""Methods that put other numbers into a tensor."""
_BLENDS = frozenset({"add_", "lerp_", "sub_"})
"""Those behind which it still has something of what it had."""


def made(w: Interp, one: Object, node: cst.CSTNode) -> Object:
    """Note that an object of a library is an optimizer, and what it was given; the object as it is."""
    if tables.is_optimizer(one.name):
        held = _held(w, one.argument(0, "params") or NONE)
        details: Details = {"parts": parts.of(w, held)}
        w.emit(one.name, Effect.OPTIMIZER, node, args=[Tuple(tuple(held))], result=one, details=details)
    return one


def clipped(w: Interp, row: Api | None, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """Note that gradients are clipped by a function that goes by what it is given, and asks no other rank."""
    if row is not None and "clips" in row.also:
        given = argument(args, kwargs, "parameters", 0) or NONE
        w.emit(row, Effect.CLIP, node, args=[Tuple(tuple(_held(w, given)))])


def initialised(w: Interp, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """Note that a parameter of a model that is wrapped already gets other numbers: the model has a new state."""
    if tables.begins("initialisers", name):
        _overwritten(w, name, argument(args, kwargs, "tensor", 0) or NONE, args, node)


def filled(w: Interp, receiver: Value, name: str, args: Args, node: cst.CSTNode) -> None:
    """Note that a parameter of a wrapped model gets other numbers by a method: ``parameter.data.copy_(saved)``."""
    if name in _FILLS and not _is_gradient(receiver):
        _overwritten(w, f"{_TENSOR}{name}", receiver, args, node)
        for arg in args if name in _BLENDS else ():
            stored(w, receiver, arg, node)


def put(w: Interp, owner: Value, name: str, new: Value, node: cst.CSTNode) -> None:
    """Note what is put into a module or a parameter: another part, or, as its ``data``, other numbers."""
    parts.replaced(w, owner, name, new, node)
    _keep_own(w, owner, name, new, node)
    if name == "data" and not _is_gradient(owner):
        _overwritten(w, f"{_TENSOR}data", owner, [new], node)


def registered(w: Interp, module: Instance, args: Args) -> None:
    """Remember the name of a buffer that a module has."""
    if args and isinstance(args[0], Const):
        w.marks.add((f"buffer {args[0].value}", module.id))


def stored(w: Interp, base: Value, new: Value, node: cst.CSTNode) -> None:
    """Note what is put into a part of a buffer: ``self.queue[at : at + n] = keys``."""
    what = base.symbol.whole if isinstance(base, Unknown) else None
    if isinstance(what, Attr) and isinstance(what.base, Instance):
        _keep_own(w, what.base, str(what.name), new, node, part=True)


def _keep_own(w: Interp, owner: Value, name: str, new: Value, node: cst.CSTNode, *, part: bool = False) -> None:
    """Note that a buffer, or a part of it, gets what each rank has worked out of its own samples."""
    if not isinstance(owner, Instance) or (f"buffer {name}", owner.id) not in w.marks:
        return
    own = varying_in(new)
    if own is None or own.reason is not Reason.DATA or own.symbol.holds_agreed:
        return
    around = (by for model, by in w.record(wrapping.WrappedModels).bare.items() if parts.holds(w, model, owner))
    details: Details = {"wrapped": next(around, None)}
    called = f"{_TENSOR}__setitem__" if part else parts.SET
    w.emit(called, Effect.OWN_BUFFER, node, args=(Const(name), own), receiver=owner, details=details)


def _overwritten(w: Interp, name: str, given: Value, args: Args, node: cst.CSTNode) -> None:
    wrapped = w.record(wrapping.WrappedModels).bare
    changed = parts.of(w, [given.receiver if isinstance(given, Bound) else given]) if wrapped else frozenset()
    for model, wrapper in wrapped.items() if changed else ():
        if parts.of(w, [model]) & changed:
            own: Details = {"parts": parts.of(w, [drawn_members.origin(w, arg) for arg in args])}
            w.emit(name, Effect.NEW_STATE, node, args=args, receiver=wrapper, details=own)


def _is_gradient(value: Value) -> bool:
    """Whether it is the gradient of a parameter, which is made anew for each step."""
    what = value.symbol.whole if isinstance(value, Unknown) else None
    while isinstance(what, (Attr, Method)):
        if isinstance(what, Attr) and what.name == "grad":
            return True
        holder = what.base if isinstance(what, Attr) else what.receiver
        what = holder.whole if isinstance(holder, Symbol) else None
    return False


def _held(w: Interp, given: Value) -> list[Value]:
    """What stands in an argument that may be a list, or a list of groups: ``[{"params": model.parameters()}]``."""
    waiting: list[Value] = [given]
    held: list[Value] = []
    while waiting and len(held) < limits.MODEL_PARTS:
        one = waiting.pop()
        if not isinstance(one, Container):
            chained = _chained(one)
            waiting += chained
            held += [] if chained else [one]
        elif one.id in w.record(Drawn).copied:
            waiting.append(w.record(Drawn).copied[one.id])
        elif one.kind == "dict":
            waiting += [pair.items[1] for pair in containers.pairs_of(w, one) or () if isinstance(pair, Tuple)]
        else:
            items = containers.items_of(w, one)
            waiting += items if items is not None else joined.parts_of(w, one) or [w.state.read((one.id, "")) or NONE]
    return held


_CHAINS = ("builtins.filter", "builtins.list", "builtins.tuple", "itertools.chain")


def _chained(value: Value) -> list[Value]:
    """What one thing after the other is taken out of: ``chain(body.parameters(), head.parameters())``."""
    what = value.symbol.whole if isinstance(value, Unknown) else None
    if not isinstance(what, Call) or what.name not in _CHAINS:
        return []
    return [
        Unknown(part) if isinstance(part, Symbol) else part for part in what.args if isinstance(part, (Symbol, Value))
    ]


_REDUCES = frozenset({"max", "mean", "min", "norm", "sum", "var", "vector_norm"})
_DECIDES = frozenset({"all", "any"})
_GATHERS = frozenset({"full_tensor", "redistribute"})
_KEEPS = frozenset({"clone", "cpu", "cuda", "detach", "double", "float", "to"})
_TENSORS = "torch."
_CHAIN = 8


def on_this_rank(w: Interp, receiver: Value, name: str, node: cst.CSTNode) -> Value | None:
    """What lies on this rank of a parameter that ``fully_shard`` has split: its local tensor, or a number made of that.

    ``parameter.norm().item()`` gives the norm of the shard, ``if parameter.isnan().any()`` asks the shard (both
    measured; ``full_tensor()`` first gives that of the whole).
    """
    if name in _GATHERS and isinstance(receiver, Varying) and _is_decided(w, receiver.symbol):
        return Unknown(symbol("method", name, receiver.symbol))
    held = tensors.local(w, receiver, name, node)
    if held is not None:
        return held
    if not isinstance(receiver, Unknown) or not (name in ("item", "to_local") or name in _DECIDES):
        return None
    what = receiver.symbol.whole
    if (name == "item" and not _is_reduced(what)) or not _is_split(w, what):
        return None
    trail = w.trail(node, "what this rank has of a sharded parameter")
    return Varying(Reason.DATA, symbol("method", name, receiver.symbol), trail)


def put_together(w: Interp, receiver: Value, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """All of a parameter, of which each rank holds a shard: ``parameter.redistribute(placements=[Replicate()])``."""
    row = w.knowledge.lookup(f"{tensors.CLASS}.{name}") if tensors.is_whole_asked(w, name, args, kwargs) else None
    if row is None or not isinstance(receiver, Unknown) or not _is_split(w, receiver.symbol):
        return None
    return w.models.apply(w, row, row.name, args, kwargs, node, tensors.in_shards(w, node))


def as_number(otherwise: _Handler) -> _Handler:
    """``float(x)``, which asks a tensor for its ``item()``; any other number as ``otherwise`` says."""

    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        own = on_this_rank(w, args[0], "item", node) if len(args) == 1 else None
        return own if own is not None else otherwise(w, args, kwargs, node)

    return run


def _is_decided(w: Interp, what: Symbol) -> bool:
    term = what.whole
    return isinstance(term, Method) and term.name in _DECIDES and _is_split(w, what)


def _is_reduced(what: Symbol) -> bool:
    """Whether it is one number made of a tensor, by a method or a function, which nothing has been reckoned with."""
    while isinstance(what, Method) and what.name in _KEEPS and isinstance(what.receiver, Symbol):
        what = what.receiver.whole
    return isinstance(what, (Call, Method)) and what.last_name in _REDUCES


def _is_split(w: Interp, what: Symbol) -> bool:
    """Whether it is a parameter of a model behind ``fully_shard``, a gradient of one, a tensor on a mesh in
    shards, or was made of one alone."""
    for _ in range(_CHAIN):
        holder = _taken_out_of(w, what)
        if isinstance(holder, (Instance, Object)):
            holder = _sharded(w, holder)
        if isinstance(holder, Wrapped):
            return wrapping.is_sharded_in_place(holder)
        if isinstance(holder, Object) and holder.name == tensors.CLASS:
            return tensors.is_parted(w, holder)
        if isinstance(holder, Unknown):
            holder = holder.symbol
        if not isinstance(holder, Symbol):
            return False
        what = holder
    return False


def is_in_shards(w: Interp, module: Object) -> bool:
    """Whether each rank holds a shard of the parameters of a module, as ``fully_shard`` has left it."""
    found = _sharded(w, module)
    return isinstance(found, Wrapped) and wrapping.is_sharded_in_place(found)


def _sharded(w: Interp, module: Instance | Object) -> Value:
    """What has become of a module that ``fully_shard`` was given, or one in it; any other module as it is."""
    found = wrapping.changed(w, module)
    if isinstance(found, Wrapped):
        return found
    whole = ((one, by) for one, by in w.record(wrapping.WrappedModels).bare.items() if wrapping.is_sharded_in_place(by))
    return next((by for one, by in whole if parts.holds(w, one, module)), found)


def _taken_out_of(w: Interp, what: Symbol) -> object:
    """What a loop took it from, or of what it is a part, an attribute, or the result of a method."""
    term = what.whole
    if isinstance(term, Method):
        return None if term.name in _GATHERS else term.receiver
    if isinstance(term, Call) and str(term.name).startswith(_TENSORS):
        return term.args[0] if term.args else None
    if isinstance(term, (Attr, Item, Part)):
        return term.base
    return w.record(Drawn).of.get(what)
