"""What ``value.name`` is."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    UNBOUND,
    Bound,
    Class,
    Const,
    Container,
    Either,
    External,
    Function,
    Group,
    Instance,
    ModuleValue,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.analysis.memory import classes, numbers, wrapping
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import dispatch, results
from ddplint.analysis.models.data import loaders, parameters
from ddplint.analysis.models.distributed import module_containers, parts, sharding, torch_modules
from ddplint.analysis.models.distributed.meshes import asked as meshes
from ddplint.analysis.models.distributed.meshes import tensors
from ddplint.analysis.models.distributed.sharding import GivenKinds
from ddplint.analysis.models.python import paths
from ddplint.analysis.models.python.iteration import Copies
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.analysis.openworld.values import duck_typing, lacking, reflective_writes, stand_ins, type_hints
from ddplint.analysis.openworld.values.initial_state import LaterWrites
from ddplint.analysis.semantics import inherited_methods, joined_parts
from ddplint.analysis.semantics.calling import definitions
from ddplint.analysis.summaries import delegation

UNIFORM_ATTRIBUTES = frozenset(
    {"shape", "size", "dtype", "device", "ndim", "requires_grad", "is_cuda", "__class__", "__name__"}
)


def get(w: Interp, base: Value, name: str, node: cst.CSTNode) -> Value:
    """The value of an attribute."""
    base = w.state.narrow(base)
    known = _GETTERS.get(type(base))
    if known is not None:
        return known(w, base, name, node)
    if isinstance(base, (PerRank, Either)):
        return w.lift(node, lambda value: get(w, value, name, node), base)
    if isinstance(base, Bound):
        return of_unknown(w, Unknown(symbol("value", base)), name, node)
    if isinstance(base, Function) and name == "__name__":
        return Const(base.name)
    if isinstance(base, (Function, OnRanks, Partial)):
        return w.state.read((w.owner(base), name)) or Unknown(symbol("attr", base, name))
    if isinstance(base, Const) and base.value is None:
        return Unknown(symbol("attr", base, name))
    return Bound(External(f"builtins.{_kind(base)}.{name}"), base)


def _kind(value: Value) -> str:
    if isinstance(value, Const):
        return type(value.value).__name__
    if isinstance(value, Tuple):
        return "tuple"
    return getattr(value, "kind", "object")


def of_module(w: Interp, base: ModuleValue, name: str, node: cst.CSTNode) -> Value:
    """A name of a project module, loaded when first asked."""
    module = base.module
    w.semantics.load(w, module)
    found = definitions.global_of(w, module, name)
    if found is not None and found is not UNBOUND:
        return definitions.settled(w, found, node)
    inner = w.project.find(f"{module.name}.{name}", module)
    if inner is not None:
        return ModuleValue(inner, inner.name)
    starred = definitions.through_star(w, module.scope, name)
    if starred is not None:
        return starred
    lazy = definitions.from_getattr(w, module, name, node)
    if lazy is not None:
        return lazy
    return External(f"{module.name}.{name}") if module.name else Unknown(symbol("attr", module.name, name))


def of_external(w: Interp, base: External, name: str, node: cst.CSTNode) -> Value:
    """A name of an external module or class."""
    full = f"{base.name}.{name}"
    stored = w.state.read((w.owner(base), name))
    if stored is not None and stored is not UNBOUND:
        return stored
    if (known := w.knowledge.constant(full)) is not None:
        return Const(known)
    row = w.knowledge.lookup(full)
    if row is not None and row.form in ("property", "value"):
        return dispatch.value_of(w, row, node, None)
    last = base.name.rpartition(".")[2]
    return Const(last) if name == "__name__" and last[:1].isupper() else External(full)


def of_class(w: Interp, base: Class, name: str, node: cst.CSTNode) -> Value:
    """An attribute of a class itself."""
    found, _owner = classes.find_in_class(w, base, name)
    if found is None and name == "__name__":
        return Const(base.name)
    if found is None:
        return inherited_methods.of_class(w, base, name) or Unknown(symbol("attr", base, name))
    kind = classes.method_kind(w, found)
    if kind == "classmethod":
        return Bound(classes.plain(found), base)
    if kind == "staticmethod":
        return classes.plain(found)
    return found


def of_instance(w: Interp, base: Instance, name: str, node: cst.CSTNode) -> Value:
    """An attribute of an object of the project: its own, its class's, an external base's."""
    own = w.state.read((base.id, name))
    if own is not None and own is not UNBOUND:
        return own
    if name == "__class__":
        return base.cls
    found, _ = classes.find_in_class(w, base.cls, name)
    if found is not None:
        kind = classes.method_kind(w, found)
        if kind == "property":
            return w.semantics.call_value(w, classes.plain(found), [base], {}, node)
        if kind == "staticmethod":
            return classes.plain(found)
        if kind == "classmethod":
            return Bound(classes.plain(found), base.cls)
        if kind == "method":
            return Bound(found, base)
        if isinstance(found, Const) and reflective_writes.may_be(w, base):
            return Unknown(symbol("attr", base, name))
        return found
    for external in classes.external_bases(w, base.cls):
        row = w.knowledge.lookup(f"{external}.{name}")
        if row is not None:
            if row.form in ("property", "value"):
                return dispatch.value_of(w, row, node, base)
            return Bound(External(f"{external}.{name}"), base)
        if w.knowledge.returns_self(external, name):
            return Bound(External(f"{external}.{name}"), base)
        typed = w.knowledge.type_of(f"{external}.{name}")
        if typed is not None:
            return results.typed_part(w, typed, base, name)
    if (other := delegation.asked_instead(w, base, name)) is not None:
        return get(w, other, name, node)
    return type_hints.of_attribute(w, base, name) or unknown_attribute(w, base, name, node)


def unknown_attribute(w: Interp, base: Value, name: str, node: cst.CSTNode) -> Value:
    """An attribute that nothing set: perhaps a rank by evidence, else a uniform unknown."""
    found = rank_evidence.by_evidence(w, name, node)
    if found is not None:
        return found
    row = rank_evidence.distinctive(w, name)
    if row is not None and row.form in ("property", "value"):
        return dispatch.value_of(w, row, node, base)
    if isinstance(base, (Unknown, Varying)):
        return Unknown(symbol("attr", base.symbol, name), base.source)
    return Unknown(symbol("attr", base, name))


_NAMESPACES = ("argparse.Namespace", "types.SimpleNamespace")
_OF_PYTHON = ("builtins.", "collections.")
"""Dictionaries whose keys are no attributes."""


def _has_what_it_is_given(w: Interp, base: Object) -> bool:
    """Whether an object has what it was made with as attributes: a namespace, or a dictionary of that kind."""
    if base.name in _NAMESPACES:
        return True
    return not base.name.startswith(_OF_PYTHON) and "builtins.dict" in w.knowledge.bases(base.name)


def of_object(w: Interp, base: Object, name: str, node: cst.CSTNode) -> Value:
    """An attribute or method of an object of an external class."""
    parts.read(w, base, name, node)
    stored = w.state.read((base.id, name))
    if stored is not None and stored is not UNBOUND:
        return stored
    if name == "__dict__":
        return Unknown(symbol("attr", base, name))
    given = base.argument(-1, name) if _has_what_it_is_given(w, base) else None
    if given is not None:
        plain_default = isinstance(given, Const) and reflective_writes.may_be(w, base)
        return Unknown(symbol("attr", base, name)) if plain_default else given
    full = f"{base.name}.{name}"
    held = tensors.local(w, base, name, node) if name == tensors.LOCAL else None
    if held is not None:
        return held
    row = w.knowledge.lookup(full)
    if row is not None:
        asked = row.form in ("property", "value")
        return dispatch.value_of(w, row, node, base) if asked else Bound(External(full), base)
    part = loaders.part_of(base, name) or paths.attribute(w, base, name) or module_containers.member(w, base, name)
    if part is not None:
        return part
    typed = w.knowledge.type_of(full) if not w.knowledge.returns_self(base.name, name) else None
    if typed is not None:
        return results.typed_part(w, typed, base, name)
    if base.name == "argparse.Namespace":
        return unknown_attribute(w, Unknown(symbol("value", base)), name, node)
    distinct = rank_evidence.distinctive(w, name)
    if distinct is not None and distinct.form in ("property", "value") and not w.knowledge.is_class(base.name):
        return dispatch.value_of(w, distinct, node, base)
    if parts.is_parameter(base, name) and parameters.is_in_shards(w, base):
        return Unknown(symbol("attr", base, name))
    return Bound(External(full), base)


_GROUPS = ("torch.distributed.device_mesh.DeviceMesh", "torch.distributed.ProcessGroup")


def of_group(w: Interp, base: Group, name: str, node: cst.CSTNode) -> Value:
    """An attribute or method of a process group or a device mesh."""
    known = meshes.attribute(w, base, name)
    if known is not None:
        return known
    for kind in _GROUPS:
        row = w.knowledge.lookup(f"{kind}.{name}")
        if row is not None:
            bound = Bound(External(f"{kind}.{name}"), base)
            return dispatch.value_of(w, row, node, base) if row.form in ("property", "value") else bound
    return Unknown(symbol("attr", base, name))


def of_wrapped(w: Interp, base: Wrapped, name: str, node: cst.CSTNode) -> Value:
    """Through a wrapper: the wrapped module itself, a collective method, or what the inner model has."""
    stored = w.state.read((base.id, name))
    if stored is not None and stored is not UNBOUND:
        return stored
    if name in (base.api.unwrap_attr or "module", "_orig_mod"):
        return base.inner
    if name in wrapping.methods_of(base.api):
        return Bound(External(f"{base.name}.{name}"), base)
    row = w.knowledge.lookup(f"{wrapping.class_of(base)}.{name}")
    if row is not None and row.form in ("property", "value"):
        if "arms_reduction" in row.also:
            w.emit(row, Effect.ARMS_REDUCTION, node, receiver=base)
        return dispatch.value_of(w, row, node, base)
    if isinstance(base.inner, Instance):
        own = w.state.read((base.inner.id, name))
        if own is not None and own is not UNBOUND:
            lacking.read(w, base, name, node)
            return own
        found, _ = classes.find_in_class(w, base.inner.cls, name)
        if found is not None and name != "forward":
            lacking.note(w, base, name, node)
            return get(w, base.inner, name, node)
    lacking.read(w, base, name, node)
    return Bound(External(f"{base.name}.{name}"), base)


def of_unknown(w: Interp, base: Unknown | Varying, name: str, node: cst.CSTNode) -> Value:
    """An attribute of something unknown: what was stored there, a rank by evidence, or a named unknown."""
    owner = w.owner(base.symbol)
    stored = w.state.read((owner, name))
    if stored is not None and stored is not UNBOUND:
        return stored
    if base.symbol in w.record(Copies).of:
        return get(w, w.record(Copies).of[base.symbol], name, node)
    if (chosen := joined_parts.as_set_before(w, base, name, node)) is not None:
        return chosen
    if name == "type" and (kind_of_device := torch_modules.type_of(base)) is not None:
        return kind_of_device
    if isinstance(base, Varying):
        if name in numbers.SIZES and numbers.is_selected(base):
            return numbers.size_of(base)
        if name in UNIFORM_ATTRIBUTES:
            alike = Unknown(symbol("attr", base.symbol, name), base.source)
            return numbers.note_size(w, base, alike) if name in numbers.SIZES else alike
        return Varying(base.reason, symbol("attr", base.symbol, name), base.trail, base.source)
    promised = stand_ins.attribute(w, base, name, node)
    if promised is not None:
        return promised
    kind = (w.record(GivenKinds).of.get(base.symbol) or duck_typing.class_of(w, node)) if base.source is None else None
    return (_of_class_told(w, kind, base, name, node) if kind else None) or unknown_attribute(w, base, name, node)


def _of_class_told(w: Interp, kind: str, base: Unknown, name: str, node: cst.CSTNode) -> Value | None:
    """An attribute or method of an unknown object of a known class; None where the tables do not know it."""
    row = w.knowledge.lookup(f"{kind}.{name}")
    if row is not None:
        prop = row.form in ("property", "value")
        return dispatch.value_of(w, row, node, base) if prop else Bound(External(f"{kind}.{name}"), base)
    if isinstance(node, cst.Call) and w.knowledge.value(f"{kind}.{name}") is not None:
        return Bound(External(f"{kind}.{name}"), base)
    typed = w.knowledge.type_of(f"{kind}.{name}")
    return results.typed_part(w, typed, base, name) if typed is not None else None


def set_attribute(w: Interp, base: Value, name: str, value: Value, node: cst.CSTNode) -> None:
    """``base.name = value`` for the active ranks."""
    base = w.state.narrow(base)
    if isinstance(base, Either):
        for side in (base.yes, base.no):
            old = get(w, side, name, node)
            merged = either(base.symbol, value, old) if side is base.yes else either(base.symbol, old, value)
            set_attribute(w, side, name, merged, node)
        return
    setter = _setter_of(w, base, name) if isinstance(base, Instance) else None
    if setter is not None:
        w.semantics.call_value(w, setter, [base, value], {}, node)
        return
    if isinstance(base, ModuleValue):
        w.semantics.load(w, base.module)  # else what it says itself, once it is asked, would replace this
    key = classes.place_of(w, base)
    parameters.put(w, base, name, value, node)
    if key is not None:
        if isinstance(base, (Instance, Unknown)) and (key, name) not in w.state.store:
            _keep_what_was(w, base, (key, name), node)
        if isinstance(base, Instance) and wrapping.wraps(value, w.state.read((key, name))):
            w.record(LaterWrites).wrapped[key, name] = value
        w.state.write((key, name), value)
    parts.told(w, base, name, value, node)
    if isinstance(base, Wrapped) and name == "require_backward_grad_sync":
        sharding.set_grad_sync(w, base, value, node)
    if isinstance(base, Object):
        _agree_on(w, base, name, value, node)


def _setter_of(w: Interp, base: Instance, name: str) -> Value | None:
    """The function of the project that sets an attribute: that of its property."""
    found, _ = classes.find_in_class(w, base.cls, name)
    is_property = isinstance(found, Object) and found.name == "builtins.property"
    return found.args[1] if is_property and len(found.args) > 1 else None  # type: ignore[union-attr]


def _agree_on(w: Interp, base: Object, name: str, value: Value, node: cst.CSTNode) -> None:
    """An attribute that must be set on all ranks alike (``trainer.should_stop``): others would go on."""
    row = w.knowledge.lookup(f"{base.name}.{name}")
    if row is None or row.form != "value" or "must_be_uniform" not in row.also:
        return
    label = f"`{name} = True`"

    def end() -> None:
        w.operate(w.emit(row, Effect.SET_FOR_ALL, node, args=[value], receiver=base, label=label), name)

    w.branch(value, node, node, GuardKind.IF, end, lambda: None)


def _keep_what_was(w: Interp, base: Instance | Unknown, at: Location, node: cst.CSTNode) -> None:
    """What an object has for an attribute from elsewhere, or from its class, where it is not set now."""
    was = classes.default_of(w, base, at[1]) if isinstance(base, Instance) else unknown_attribute(w, base, at[1], node)
    if was is not None:
        w.state.hold(at, was)


_OF_DICTIONARIES = frozenset(word for kind in (dict, Counter, OrderedDict, defaultdict) for word in dir(kind))


def of_container(w: Interp, base: Container, name: str, node: cst.CSTNode) -> Value:
    """A method of a list, dictionary or set; of a dictionary that is asked for anything else, what is under that key.

    A settings object makes dictionaries of its own kind of those that are set in it (OmegaConf, Munch, ``EasyDict``).
    """
    if base.kind == "dict" and name not in _OF_DICTIONARIES:
        return w.semantics.item(w, node, base, Const(name))
    return Bound(External(f"builtins.{base.kind}.{name}"), base)


_GETTERS: dict[type, Callable[[Interp, Any, str, cst.CSTNode], Value]] = {
    Instance: of_instance,
    External: of_external,
    ModuleValue: of_module,
    Class: of_class,
    Object: of_object,
    Wrapped: of_wrapped,
    Container: of_container,
    Unknown: of_unknown,
    Varying: of_unknown,
    Group: of_group,
}
"""What an attribute of a value is, by the kind of the value."""
