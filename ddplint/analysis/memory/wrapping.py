"""What a wrapper is by its row in the tables, and what modules have become that were wrapped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.values import TRUE, Either, Value, Wrapped
from ddplint.analysis.memory import classes, modes
from ddplint.analysis.memory.records import Life, Record
from ddplint.knowledge import Api

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class WrappedModels(Record):
    """What wrappers have made of models: ``changed`` in place and on which way, ``bare`` by the module inside,
    ``trained`` those that were called with gradients. ``by_name`` are those of things that are only called like models:
    if they are none, they were handed back as they were."""

    life = Life.FILE
    changed: dict[Value, list[tuple[PathCondition, Wrapped]]] = field(default_factory=dict)
    bare: dict[Value, Wrapped] = field(default_factory=dict)
    trained: dict[int, Wrapped] = field(default_factory=dict)
    by_name: set[int] = field(default_factory=set)


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


@cache
def methods_of(api: Api) -> frozenset[str]:
    """Names of methods that communicate on what the wrapper returns (its call and backward of the loss apart)."""
    return frozenset(m for m in api.methods_collective if m.isidentifier() and m not in ("forward", "__call__"))


def wraps_model(api: Api) -> bool:
    """Whether what a wrapper gives back is a model whose passes all ranks make together."""
    return any(m.startswith(("forward", "__call__", "backward")) for m in api.methods_collective)


@cache
def passes_together(api: Api) -> bool:
    """Whether the forward pass itself may communicate: that of apex's wrapper leaves all to the backward pass."""
    return any(m.startswith(("forward", "__call__")) for m in api.methods_collective)


def may_meet(w: Interp, api: Api) -> bool:
    """Whether ranks may meet in a forward pass: in a compiled function, only of a program of several processes."""
    several = not api.compiles or w.distributed or w.project.index.is_for_several(w.frame.module.file)
    return several and passes_together(api)


def is_engine(api: Api) -> bool:
    """Whether the wrapper shards parameters or drives the step itself (its forward always communicates)."""
    text = api.name.lower()
    return any(word in text for word in ("fsdp", "fully", "deepspeed", "shard", "zero", "tensor", "colossal"))


def always_communicates(model: Wrapped) -> bool:
    """Whether each forward of a wrapped model communicates, with gradients or without."""
    return model.split or is_engine(model.api)


_GROUPS = ("mesh", "device_mesh", "process_group")


def group_of(model: Wrapped) -> Value | None:
    """The mesh or the group that a wrapper was given, over whose ranks it communicates; None: over all of them."""
    given = dict(model.kwargs)
    return next((given[name] for name in _GROUPS if name in given), None)


def is_sharded_in_place(model: Wrapped) -> bool:
    """Whether it is a model behind ``fully_shard``: parameters are gathered, whether or not gradients are reduced."""
    return model.api.wraps == "fully_shard"


CHANGED = "<wrapped in place>"
"""Where the walk remembers that a module has become another one, on some way."""


def changed(w: Interp, model: Value) -> Value:
    """What a module has become on this way, where a call has wrapped it in place; else itself."""
    ways = w.record(WrappedModels).changed.get(model, ()) if w.record(WrappedModels).changed else ()
    place = classes.place_of(w, model) if ways else None
    if place is None or w.state.read((place, CHANGED)) != TRUE:
        return model
    found = model
    for way, made in ways:
        found = _where(w, way, made, found)
    return found


def _where(w: Interp, way: PathCondition, made: Value, other: Value) -> Value:
    """``made`` as far as this is the way on which it was made, ``other`` elsewhere."""
    known = w.state.path.known
    if any(known.get(what, holds) is not holds for what, holds in way.known.items()):
        return other
    open_ones = [(what, holds) for what, holds in way.known.items() if what not in known]
    if len(open_ones) > limits.WRAPPING_DOUBTS:
        return other
    for what, holds in reversed(open_ones):
        made = either(what, made, other) if holds else either(what, other, made)
    return made


def short(row: Api) -> str:
    last = row.name.rpartition(".")[2]
    return {"DistributedDataParallel": "DDP", "FullyShardedDataParallel": "FSDP", "prepare": "prepared model"}.get(
        last, last
    )


def wraps(value: Value | None, held: Value | None) -> bool:
    """Whether a value is the wrapper of what was there before, on each way through the program."""
    if isinstance(value, Either) and isinstance(held, Either) and value.symbol is held.symbol:
        return wraps(value.yes, held.yes) and wraps(value.no, held.no)
    return isinstance(value, Wrapped) and held is not None and value.inner == held


def may_be_called(w: Interp, model: Wrapped) -> None:
    """A model is called, or given to code that is not walked, which may compute a loss with it."""
    if not modes.flag(w, "no_grad"):
        w.state.write((model.id, AWAITS), TRUE)
        w.record(WrappedModels).trained[model.id] = model


AWAITS = "<forward without backward>"
"""Where it remembers that no gradients have been computed since a wrapper's last forward pass with gradients."""


UNSYNCED = "<forward without sync>"
"""Where it remembers that a wrapper's last forward pass ran under ``no_sync``: for DDP that is what counts.

Of a model behind ``fully_shard`` it is that the reduction of its gradients has been switched off.
"""


def class_of(model: Wrapped) -> str:
    """The class that the tables have the methods of a wrapper under."""
    return "deepspeed.DeepSpeedEngine" if "deepspeed" in model.name else model.name


SWITCHED_OFF = "<no sync from the next forward>"
"""Where it remembers that its forward passes are to run as under ``no_sync`` (DDP's ``require_backward_grad_sync``)."""
