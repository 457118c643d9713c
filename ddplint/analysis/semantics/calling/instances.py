"""Objects of the project's classes: how they are made, what calling them does, ``super()``."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import (
    UNBOUND,
    Bound,
    Class,
    Const,
    External,
    Function,
    Instance,
    Object,
    OnRanks,
    Tuple,
    Unknown,
    Value,
    unknown,
)
from ddplint.analysis.interp import asides, visits
from ddplint.analysis.memory import aliases, classes, containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.distributed.sharding import GivenKinds
from ddplint.analysis.openworld.values import initial_state
from ddplint.analysis.summaries import helper_modules, transparent_classes


def call_instance(w: Interp, receiver: Instance, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    for name in ("__call__", "forward"):
        found, _ = classes.find_in_class(w, receiver.cls, name)
        if found is not None:
            return w.semantics.call_value(w, found, [receiver, *args], kwargs, node)
    asides.opaque(w, node, receiver.cls.name, beside=(*args, *kwargs.values()))
    return terms.derived(("call", receiver), args)


def super_object(w: Interp) -> Value:
    frame = next((f for f in reversed(w.frames) if f.owner is not None), None)
    if frame is None or frame.receiver is None or frame.owner is None:
        return unknown("super")
    return Object("builtins.super", w.owner(("super", frame.owner, frame.receiver)), (frame.owner, frame.receiver))


def super_attribute(w: Interp, base: Object, name: str, node: cst.CSTNode) -> Value | None:
    """``super().name``: the next definition after the class the method stands in."""
    owner, receiver = base.args
    assert isinstance(owner, Class)
    whole = receiver.cls if isinstance(receiver, Instance) else receiver
    for parent in classes.behind(w, whole if isinstance(whole, Class) else owner, owner):
        parent = classes.base_of(w, parent)
        if isinstance(parent, Class):
            found = w.state.read((parent.key, name))
            if found is not None and found is not UNBOUND:
                return Bound(found, receiver) if isinstance(found, (Function, OnRanks)) else found
        if isinstance(parent, External) and w.knowledge.lookup(f"{parent.name}.{name}") is not None:
            return Bound(External(f"{parent.name}.{name}"), receiver)
    return None


def instantiate(w: Interp, cls: Class, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A new object of a project class: ``__init__`` is walked."""
    left = helper_modules.left_alone(w, cls, args, kwargs)
    if left is not None:
        return w.models.call_external(w, left.name, args, kwargs, node)
    full = f"{cls.module.name}.{cls.name}"
    if cls.module is not w.home and w.knowledge.is_class(full):
        return w.external_object(full, args, kwargs, node)
    loader = transparent_classes.loader_below(w, cls)
    if loader is not None:
        return w.semantics.call_value(w, loader, args, kwargs, node)
    new = aliases.object_of(w, cls) or w.instance(cls)
    visits.note_made(w, cls)
    if any(base.endswith("Sampler") for base in classes.external_bases(w, cls)):
        w.emit(cls.name, Effect.SAMPLER, node, args=args, kwargs=kwargs, result=new)
    elif any("rank" in name for name in kwargs):
        w.emit(cls.name, Effect.RANKED, node, args=args, kwargs=kwargs, result=new)
    start, _owner = classes.find_in_class(w, cls, "__init__")
    if start is not None:
        w.semantics.call_value(w, start, [new, *args], kwargs, node)
    else:
        _dataclass_fields(w, new, args, kwargs, node)
    return new


def _dataclass_fields(w: Interp, new: Instance, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    if any(map(w.knowledge.parsed, classes.external_bases(w, new.cls))):
        initial_state.open_fields(w, new)
    fields = w.state.read((new.cls.key, "__fields__"))
    names = [item.value for item in fields.items if isinstance(item, Const)] if isinstance(fields, Tuple) else []
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        w.state.write((new.id, name), value)
        _note_kind(w, new, name, value)
    for name in names:
        made = containers.of_field(w, w.state.read((new.cls.key, name)))
        if made is not None and w.state.read((new.id, name)) is None:
            w.state.write((new.id, name), made)
    after, _owner = classes.find_in_class(w, new.cls, "__post_init__")
    if after is not None and names:
        w.semantics.call_value(w, after, [new], {}, node)


def _note_kind(w: Interp, new: Instance, name: str, value: Value) -> None:
    """What a class of the tables is made with is of the class that the tables name (``Trainer(args=args)``)."""
    if isinstance(value, Unknown):
        kinds = (w.knowledge.type_of(f"{base}.{name}") for base in classes.external_bases(w, new.cls))
        kind = next((one for one in kinds if one is not None), None)
        if kind is not None:
            w.record(GivenKinds).of[value.symbol] = kind
