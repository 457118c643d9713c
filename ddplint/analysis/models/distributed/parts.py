"""The modules that a wrapped model is made of: which of them a forward pass uses, and which are not trained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.term import Attr, Item, Method, Part
from ddplint.analysis.domain.values import (
    FALSE,
    TRUE,
    Bound,
    Container,
    Either,
    External,
    Instance,
    Object,
    Partial,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.analysis.memory import containers, modes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import Pass, Passes, WrappedModels
from ddplint.analysis.models.distributed import drawn_members
from ddplint.analysis.models.distributed.drawn_members import Drawn
from ddplint.analysis.trace.events import Details
from ddplint.knowledge import tables

TRAINED = "requires_grad"
"""What says of a parameter, or with a method of this name of a module, whether it is trained."""

_LOOKS = frozenset({"buffers", "extra_repr", "named_buffers", "size", "to", "train", "type", "zero_grad"})
"""Methods of modules that compute nothing with their parameters."""

_PASS = "torch.nn.Module.__call__"
SET = "torch.nn.Module.__setattr__"
"""What gives a module a part, a parameter or a buffer."""
_PARAMETERS = frozenset({"bias", "weight"})


@contextmanager
def passing(w: Interp, model: Wrapped, number: int) -> Iterator[None]:
    """Walk the forward pass of a wrapped model."""
    running = w.record(Passes).running
    running.append(Pass(model, number, len(w.frames)))
    try:
        yield
    finally:
        running.pop()


def is_passing(w: Interp) -> bool:
    """Whether the forward pass of a wrapped model is being walked."""
    return bool(w.record(Passes).running)


def called(w: Interp, function: Value, node: cst.CSTNode) -> None:
    """Note that a module is called in the forward pass of a model that it is a part of, or beside all wrapped ones."""
    if w.record(Passes).running:
        if isinstance(function, (Object, Unknown, Varying, Wrapped)) and not _is_followed(function):
            _used(w, function, node)
    elif w.record(WrappedModels).bare and isinstance(function, Object) and _has_parameters(w, function):
        off = modes.flag(w, "no_grad") or _is_cut_off(w, node)
        details: Details = {"parts": frozenset((function.id,)), "no_grad": off}
        w.emit(_PASS, Effect.APART, node, receiver=function, details=details)


def _is_followed(function: Value) -> bool:
    """Whether it is a unit of the model whose own forward pass says what it uses."""
    while isinstance(function, Wrapped):
        function = function.inner
    return isinstance(function, Instance)


def _is_cut_off(w: Interp, call: cst.CSTNode) -> bool:
    """Whether no gradients go back beyond what a call gives: ``teacher(x).detach()``."""
    above = w.frame.module.file.parents.get(call)
    return getattr(getattr(above, "attr", None), "value", "") == "detach"


def asked(w: Interp, module: Value, name: str, node: cst.CSTNode) -> None:
    """Note that a module is asked for its parameters in a forward pass, or for a method that nobody followed."""
    if w.record(Passes).running and isinstance(module, (Object, Instance)) and name not in _LOOKS:
        _used(w, module, node)


def is_parameter(module: Object, name: str) -> bool:
    """Whether an attribute of a layer of torch is one of its parameters."""
    return name in _PARAMETERS and tables.begins("layers", module.name)


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
            _PASS,
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
    """Note that a parameter, or all of a module, is not to be trained, or is to be trained again behind a wrapper."""
    if name.rstrip("_") != TRAINED or flag not in (TRUE, FALSE):
        return
    told_of = frozenset(_trained_in(w, receiver)) | _parameters(w, [receiver])
    module = _asked_for_parameters(w, receiver)
    held = (by for model, by in w.record(WrappedModels).bare.items() if _has(w, model, _root(module)))
    details: Details = {"parts": told_of, "wrapped": next(held, None)}
    w.emit(_TRAINS, Effect.FREEZE if flag == FALSE else Effect.THAW, node, receiver=module, details=details)


_TRAINS = "torch.nn.Module.requires_grad_"


def _asked_for_parameters(w: Interp, value: Value) -> Value:
    """The module whose parameters a loop goes through; any other value as it is."""
    what = value.symbol.whole if isinstance(value, Unknown) else None
    if isinstance(what, Part) and isinstance(what.base, Symbol):
        return _asked_for_parameters(w, Unknown(what.base))
    source = w.record(Drawn).of.get(what) if what is not None else None
    method = source.symbol.whole if isinstance(source, Unknown) else None
    if isinstance(method, Method) and method.name in ("parameters", "named_parameters"):
        return _as_value(method.receiver) or value
    return value


def _as_value(what: object) -> Value | None:
    return Unknown(what) if isinstance(what, Symbol) else what if isinstance(what, Value) else None


def _has(w: Interp, model: Value, module: Value) -> bool:
    """Whether a model holds a module, also one of a library that nobody looked into."""
    return any(one == module or module in _inside(w, one) for one in _modules(w, [model]))


def _root(module: Value) -> Value:
    """The module that one is an attribute of, and that of another, as far as nobody looked into them."""
    what = module.symbol.whole if isinstance(module, Unknown) else None
    base = _as_value(what.base) if isinstance(what, (Attr, Item)) else None
    if base is not None:
        return _root(base)
    return module.inner if isinstance(module, Wrapped) else module


def replaced(w: Interp, owner: Value, name: str, new: Value, node: cst.CSTNode) -> None:
    """Note that an attribute of a module gets something to train, where a wrapper has taken what was there before."""
    bare = w.record(WrappedModels).bare
    owner = owner.inner if isinstance(owner, Wrapped) else owner
    if not bare or not isinstance(new, Object) or not isinstance(owner, (Instance, Object)):
        return
    if w.record(Passes).running:
        return
    added = isinstance(owner, Instance) and w.state.read((owner.id, name)) is None
    put(w, owner, new, node, added=added)


def put(w: Interp, owner: Instance | Object, new: Value, node: cst.CSTNode, *, added: bool) -> None:
    """Note that a module has something else to train; ``added``: in place of nothing."""
    bare = w.record(WrappedModels).bare
    if not bare or not isinstance(new, Object):
        return
    fresh = of(w, [new]) | _parameters(w, [new])
    for model, wrapper in bare.items() if fresh else ():
        if holds(w, model, owner):
            details: Details = {"parts": fresh, "added": added}
            w.emit(SET, Effect.REPLACED, node, receiver=wrapper, details=details)


_POLICIES = {
    "torch.distributed.fsdp.wrap.ModuleWrapPolicy": "module_classes",
    "torch.distributed.fsdp.wrap.transformer_auto_wrap_policy": "transformer_layer_cls",
}
"""What makes units of all modules of some classes, and the argument with these."""


def given_to(w: Interp, args: Args, kwargs: Kwargs) -> Details:
    """What a wrapper is given: parts and parameters of the model, and which parts it makes units of their own."""
    model = args[:1]
    held = of(w, model) | _parameters(w, model)
    return {"parts": held, "units": _in_units(w, model, kwargs.get("auto_wrap_policy"))}


def _in_units(w: Interp, model: Sequence[Value], policy: Value | None) -> dict[int, int]:
    """In which unit, by its number, each module lies that a policy makes units of, as far as it names classes."""
    policy = w.state.narrow(policy) if policy is not None else None
    classes: Value | None = None
    if isinstance(policy, Partial) and isinstance(policy.function, External):
        classes = dict(policy.kwargs).get(_POLICIES.get(policy.function.name, ""))
    elif isinstance(policy, Object) and policy.name in _POLICIES:
        classes = policy.argument(0, _POLICIES[policy.name])
    named = (containers.items_of(w, classes) or []) if classes is not None else []
    units = [(of(w, [one]), one.id) for one in _modules(w, model) if _class_of(one) in named] if named else []
    units.sort(key=lambda unit: len(unit[0]), reverse=True)  # what lies in a unit within another is of the inner one
    return {part: number for held, number in units for part in held}


def _class_of(module: Instance | Object) -> Value:
    """The class of a module, also of one that was not walked."""
    return module.cls if isinstance(module, Instance) else External(module.name)


def _modules(w: Interp, model: Sequence[Value]) -> Iterator[Instance | Object]:
    """All modules that a model is made of."""
    waiting, seen = list(model), set[int]()
    while waiting and len(seen) < limits.MODEL_PARTS:
        one = waiting.pop()
        if isinstance(one, (Instance, Object, Container)):
            if one.id in seen:
                continue
            seen.add(one.id)
        if isinstance(one, (Instance, Object)):
            yield one
        waiting += _inside(w, one)


def holds(w: Interp, model: Value, module: Value) -> bool:
    """Whether a module is one of those that a model is made of."""
    return any(one == module for one in _modules(w, [model]))


def _parameters(w: Interp, values: Sequence[Value]) -> frozenset[int]:
    """The parameters that stand by themselves, outside of any layer of torch, in any of the values."""
    return frozenset(one.id for one in _modules(w, values) if isinstance(one, Object) and _is_parameter(one))


def _is_parameter(one: Object) -> bool:
    return one.name in tables.names("parameters")


def of(w: Interp, values: Sequence[Value]) -> frozenset[int]:
    """The numbers of the modules with parameters of their own that are in any of the values."""
    return frozenset(part for value in values for part in _trained_in(w, value))


def _trained_in(w: Interp, value: Value) -> Iterator[int]:
    """The modules with parameters of their own that a value is, holds, or came out of, by their numbers."""
    return (one.id for one in _modules(w, [value]) if isinstance(one, Object) and _has_parameters(w, one))


def _inside(w: Interp, value: Value) -> list[Value]:
    if isinstance(value, Instance):
        return [held for _, held in w.state.held(value.id)]
    if isinstance(value, Object):
        return drawn_members.given(w, value) if tables.begins("layers", value.name) else []
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
    if tables.begins("layers", module.name):
        return module.name.rpartition(".")[2] in w.knowledge.quiet("trained")
    return drawn_members.is_unwalked(w, module)
