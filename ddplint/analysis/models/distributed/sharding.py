"""Saves whose need for all ranks depends on how the model is distributed: the ``when`` of their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import FALSE, NONE, TRUE, Const, Container, Either, Object, Unknown, Value, Wrapped
from ddplint.analysis.memory import containers, wrapping
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.wrapping import SWITCHED_OFF, UNSYNCED
from ddplint.knowledge import Api, Sharding


@dataclass(slots=True)
class GivenKinds(Record):
    """The classes of unknown objects, as what they were given to says."""

    life = Life.FILE
    of: dict[Symbol, str] = field(default_factory=dict)


def gathers(w: Interp, row: Api, args: Sequence[Value], kwargs: Mapping[str, Value], receiver: Value | None) -> bool:
    """Whether this call of a save surely communicates. Rows without a condition always do."""
    if not row.when:
        return True
    model = model_of(w, args, kwargs, receiver)
    if "full_state_dict=True" in row.when:
        if model is not None and not _engine(model):
            return False
        return (model is not None and _is_flat(model)) or _asks_for_all(w, (*args, *kwargs.values()))
    return is_sharded(w, args, receiver)


def inside(w: Interp, row: Api, manager: Object, body: Callable[[], None]) -> None:
    """Run a with-body in which a model is asked for one kind of state dict: it is of the class that is asked so.

    Every kind communicates, that of the shards and the local one, too (measured with torch 2.13 on gloo).
    """
    model = manager.argument(0, "module")
    model = w.state.narrow(model) if model is not None else None
    if not isinstance(model, Unknown):
        body()
        return
    known = w.record(GivenKinds).of.get(model.symbol)
    w.record(GivenKinds).of[model.symbol] = row.name.rpartition(".")[0]
    try:
        body()
    finally:
        if known is not None:
            w.record(GivenKinds).of[model.symbol] = known
        else:
            del w.record(GivenKinds).of[model.symbol]


def is_sharded(w: Interp, args: Sequence[Value], receiver: Value | None) -> bool:
    """Whether the model behind a save is split over the ranks, as far as the program says."""
    model = model_of(w, args, {}, receiver)
    if model is not None and _engine(model):
        return True
    return any(_configured(w, value, 2) for value in (receiver, *args) if value is not None)


def splits(w: Interp, maker: Value | None) -> bool:
    """Whether who wraps a model was asked to split its parameters, so that every forward gathers them."""
    maker = w.state.narrow(maker) if maker is not None else None
    if not isinstance(maker, Object):
        return False
    given = {name: w.state.narrow(value) for name, value in maker.kwargs}
    known = {name: value for name, value in given.items() if isinstance(value, (Const, Object, Wrapped))}
    return any(row.forward and _says(row, known.get(row.arg)) for row in w.knowledge.shardings())


def by_configuration(w: Interp, row: Api, kwargs: Kwargs) -> bool:
    """Whether ``deepspeed.initialize`` is given a dictionary that splits the parameters: stage 3 of ZeRO."""
    settings = kwargs.get("config") or kwargs.get("config_params")
    for key in ("zero_optimization", "stage"):
        settings = w.state.narrow(settings) if settings is not None else None
        if row.wraps != "deepspeed" or not isinstance(settings, Container):
            return False
        settings = containers.stored_item(w, settings, Const(key))
    return settings == Const(_WHOLE_STAGE)


_WHOLE_STAGE = 3


def _says(row: Sharding, given: Value | None) -> bool:
    """Whether an argument has a value that splits the model, on every path."""
    if isinstance(given, Either):
        return _says(row, given.yes) and _says(row, given.no)
    if given is None or (isinstance(given, Const) and not given.value):
        return False
    if not row.pattern:
        return True
    named = given.name if isinstance(given, (Object, Wrapped)) else getattr(given, "value", None)
    return isinstance(named, str) and re.search(row.pattern, named) is not None


def model_of(w: Interp, args: Sequence[Value], kwargs: Mapping[str, Value], receiver: Value | None) -> Wrapped | None:
    """The wrapped model that a save is about: the receiver, or its first argument."""
    from ddplint.analysis.memory.wrapping import changed

    first = kwargs.get("model") or (args[0] if args else None)
    for value in (receiver, first):
        if value is not None and (found := _wrapped(changed(w, w.state.narrow(value)))) is not None:
            return found
    return None


def _wrapped(value: Value) -> Wrapped | None:
    if isinstance(value, Either):
        return _wrapped(value.yes) or _wrapped(value.no)
    return value if isinstance(value, Wrapped) else None


def _engine(model: Wrapped) -> bool:
    from ddplint.analysis.memory.wrapping import always_communicates

    return always_communicates(model)


def _is_flat(model: Wrapped) -> bool:
    """Whether it is FSDP of the first kind, whose every state dict of full type is gathered."""
    return model.api.wraps == "fsdp"


def _asks_for_all(w: Interp, values: Iterable[Value]) -> bool:
    found = (w.state.narrow(value) for value in values)
    return any(isinstance(value, Object) and value.argument(0, "full_state_dict") == TRUE for value in found)


def _configured(w: Interp, value: Value, depth: int) -> bool:
    value = w.state.narrow(value)
    if not isinstance(value, Object) or not depth:
        return False
    for name, given in value.kwargs:
        given = w.state.narrow(given)
        if any(row.saves and row.arg == name and _says(row, given) for row in w.knowledge.shardings()):
            return True
        if name == "args" and _configured(w, given, depth - 1):
            return True
    return False


def set_sync(w: Interp, model: Wrapped, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """``model.set_requires_gradient_sync(flag)``: from now on backward passes reduce, or only gather.

    Without its parts (``recurse=False``) it is about a few parameters only.
    """
    flag = argument(args, kwargs, "requires_gradient_sync", 0)
    if flag is None or (argument(args, kwargs, "recurse", 1) or TRUE) != TRUE:
        return NONE

    _switch(w, (model.id, UNSYNCED), flag, node)
    return NONE


def set_grad_sync(w: Interp, model: Wrapped, flag: Value, node: cst.CSTNode) -> None:
    """``model.require_backward_grad_sync = flag``: what ``no_sync`` sets, too; the next forward passes go by it."""
    if not wrapping.is_sharded_in_place(model):
        _switch(w, (model.id, SWITCHED_OFF), flag, node)


def _switch(w: Interp, where: tuple[int, str], on: Value, node: cst.CSTNode) -> None:
    def write(apart: Value) -> None:
        w.state.write(where, apart)

    w.branch(on, node, node, GuardKind.CALL, lambda: write(FALSE), lambda: write(TRUE))
