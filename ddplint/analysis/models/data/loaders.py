"""Loaders, samplers and files: what data a rank sees, and which calls touch the disk."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Origin, Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Call, Symbol
from ddplint.analysis.domain.values import (
    NONE,
    TRUE,
    Container,
    Function,
    Instance,
    Object,
    PerRank,
    Trail,
    Tuple,
    Unknown,
    Value,
    Varying,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.shares import turns
from ddplint.analysis.models import options
from ddplint.analysis.models.data import iterables, sharing, within
from ddplint.analysis.models.data.iterables import THROUGH, is_loader
from ddplint.analysis.openworld.programs import seeds
from ddplint.analysis.summaries import helper_modules
from ddplint.analysis.trace.events import Details, LoopFrame
from ddplint.knowledge import Api, tables
from ddplint.source.calls import names_called
from ddplint.source.tree import positional


@dataclass(slots=True)
class Shards(Record):
    """Iterables that are known to be each rank's own, because a data-parallel model is trained on them."""

    life = Life.FILE
    trails: dict[Value, Trail] = field(default_factory=dict)


def note_generator(w: Interp, function: Function, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """Note that a generator of the project gets a loader: it runs when nobody sees it, and perhaps for ever."""
    names = positional(function.node.params)
    given = {name: w.state.narrow(value) for name, value in (*zip(names, args, strict=False), *kwargs.items())}
    loaders = {name: value for name, value in given.items() if iterables.is_loader(value)}
    if loaders:
        details: Details = {"file": function.module.file, "function": function.node, "given": loaders}
        w.emit(function.name, Effect.GENERATOR, node, details=details)


_PARTS = {"dataset": 0, "batch_size": 1, "sampler": 3, "batch_sampler": 4, "num_workers": 5}


def part_of(value: Object, name: str) -> Value | None:
    """An attribute of a loader or batch sampler that is what it was made from."""
    if name in _PARTS and iterables.is_loader(value):
        return value.argument(_PARTS[name], name)
    if name == "sampler" and value.name.endswith("BatchSampler"):
        return value.argument(0, name)
    return None


def are_all(args: Args, kwargs: Kwargs) -> bool:
    """Whether a call is given nothing but loaders."""
    return bool(args) and "*" not in kwargs and all(map(is_loader, args))


NUMBER = "number of a sample"
"""The name of what a sampler gives each rank."""


def local_of(w: Interp, value: Object) -> Varying | None:
    """The rank-local data that a loader or sampler gives, if its ranks see different data."""
    if value.name.endswith(("DataLoaderShard", "DeepSpeedDataLoader", "DistributedSampler")):
        return Varying(Reason.DATA, symbol("batch", value), _trail(w, value, "each rank loads its own batches"))
    if not iterables.is_loader(value):
        return None
    sampler = value.argument(3, "sampler") or value.argument(4, "batch_sampler")
    if isinstance(sampler, Object):
        if "Distributed" in sampler.name:
            return Varying(Reason.DATA, symbol("batch", value), _trail(w, value, "a batch of this rank's shard"))
        inner = sampler.argument(0, "sampler")
        if isinstance(inner, Object) and "Distributed" in inner.name:
            return Varying(Reason.DATA, symbol("batch", value), _trail(w, value, "a batch of this rank's shard"))
        sampler = inner if sampler.name.endswith("BatchSampler") else sampler
    if isinstance(sampler, (Instance, Unknown)):
        return Varying(Reason.DATA, symbol("batch", value), _trail(w, value, "a batch of this rank's sampler"))
    if value.argument(2, "shuffle") == TRUE and not seeds.draws_alike(w, value.argument(-1, "generator")):
        return Varying(Reason.DATA, symbol("batch", value), _trail(w, value, "a batch this rank drew itself"))
    dataset = value.argument(0, "dataset")
    local = varying_in(dataset) if dataset is not None else None
    if local is None and (trail := _share_of(w, dataset)) is not None:
        return Varying(Reason.DATA, symbol("batch", value), trail)
    return local


def _share_of(w: Interp, dataset: Value | None) -> Trail | None:
    """Where a data set was told who the rank is, or was given what each rank has of its own."""
    if isinstance(dataset, PerRank):
        return dataset.trail
    if isinstance(dataset, Container):
        own = filling.own_length(w, dataset)
        return own.trail if own is not None else None
    if not isinstance(dataset, Object):
        return None
    given = (*dataset.args, *(value for _, value in dataset.kwargs))
    return next((trail for one in given if (trail := _share_of(w, one)) is not None), None)


_COUNT = "itertools.count"


def _is_count(what: Symbol) -> bool:
    """Whether it is ``itertools.count()``: numbers are no data."""
    return isinstance(what, Call) and what.name == _COUNT


def trained_on(w: Interp) -> None:
    """A data-parallel model is trained here: what the innermost loop iterates over is each rank's own data."""
    for loop in reversed(w.around):
        source = loop.source
        while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in THROUGH:
            source = source.args[0]
        if isinstance(source, Unknown) and isinstance(loop.node, cst.For) and not _is_count(source.symbol):
            origin = Origin(loop.file, loop.node.iter, "each rank trains on its own batches")
            w.record(Shards).trails.setdefault(source, Trail(origin))
        if source is not None and not (isinstance(source, Object) and source.name == "builtins.range"):
            return
        if isinstance(loop.node, cst.While) and _fetches(loop):
            return  # the batches come from an iterator, whatever the loops outside go over


def _fetches(loop: LoopFrame) -> bool:
    """Whether a loop takes elements by ``next``."""
    return "next(" in loop.file.text and any(name.endswith("next") for name in names_called(loop.node))


def _trail(w: Interp, value: Object, text: str) -> Trail | None:
    node = value.site
    home = w.homes.get(id(node))
    return Trail(Origin(home, node, text)) if isinstance(node, cst.CSTNode) and home is not None else None


def element_of_object(w: Interp, source: Object, node: cst.CSTNode) -> tuple[Value, Varying | None]:
    """What iterating over an external object yields."""
    if source.name in ("builtins.enumerate", "builtins.zip") and source.args:
        parts = [w.semantics.element_of(w, arg, node) for arg in source.args]
        length = None if _is_bounded(source) else next((local for _, local in parts if local is not None), None)
        if source.name == "builtins.enumerate":
            return Tuple((turns.counts(w, Unknown(fresh("index")), source.args[0]), parts[0][0])), length
        return Tuple(tuple(part for part, _ in parts)), length
    if source.name == "builtins.range":
        local = next((v for arg in source.args if (v := varying_in(arg)) is not None), None)
        if any(isinstance(arg, PerRank) for arg in source.args):
            return Unknown(fresh("index")), None
        return turns.counts(w, Unknown(fresh("index")), source), local
    if source.name in filling.VIEWS and source.args:
        sample = containers.sample_of(w, source.args[0], node) or Unknown(fresh("element"))
        element = sample if source.name.endswith("values") else Tuple((Unknown(fresh("key")), sample))
        return element, filling.own_length(w, source)
    from ddplint.analysis.models.data import collating, iterables

    reads = iterables.lines_of_own(source) is not None
    own = iterables.elements(w, source, node) if reads or is_loader(source) else None
    if own is not None:
        return own
    found = local_of(w, source)
    if found is not None:
        of_loader = is_loader(source)
        batch = collating.batch(w, source, found, node) if of_loader else None
        return batch or Varying(found.reason, fresh("batch" if of_loader else NUMBER), found.trail), None
    if source.args and source.name.rpartition(".")[2] in (
        "tqdm",
        "trange",
        "iter",
        "islice",
        "list",
        "reversed",
        "sorted",
    ):
        element, length = w.semantics.element_of(w, source.args[0], node)
        return element, None if _is_bounded(source) else length
    return Unknown(fresh("element")), None


def _is_bounded(source: Object) -> bool:
    """``islice(x, steps)``, ``zip(range(steps), x)``: as many iterations on all ranks, if ``x`` lasts."""
    if source.name == "itertools.islice":
        stops = source.args[1:2] if len(source.args) == 2 else source.args[2:3]
        return any(_is_shared(stop) and stop != NONE for stop in stops)
    ranges = (arg for arg in source.args if isinstance(arg, Object) and arg.name == "builtins.range")
    return source.name == "builtins.zip" and any(all(map(_is_shared, one.args)) for one in ranges)


def _is_shared(value: Value) -> bool:
    return not isinstance(value, PerRank) and varying_in(value) is None


def loader(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """Build (or prepare) a loader."""
    if row.form == "class" or row.name.endswith("DataLoader"):
        made = w.external_object(row.name, args, kwargs, node)
        data = made.argument(0, "dataset")
        own: Details = {
            "data_class": helper_modules.class_of(w, data),
            "parted": within.is_parted(w, data),
            "within": within.classes_within(w, data),
        }
        w.emit(row, Effect.LOADER, node, args=args, kwargs=kwargs, receiver=receiver, result=made, details=own)
        return made
    if args and row.form in ("method", "function"):
        if "shards_again" in row.also:
            sharing.is_sharded_again(w, args[0], node)
        made = w.external_object(sharing.SHARD, (), {}, node)
        w.emit(row, Effect.LOADER, node, args=args, kwargs=kwargs, receiver=receiver, result=made)
        return made
    return unknown(row.name)


def method(w: Interp, receiver: Value, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """Methods of loaders, samplers and argument parsers that matter to ranks."""
    if not isinstance(receiver, Object):
        return None
    if name == "set_epoch":
        w.emit(f"{receiver.name}.set_epoch", Effect.SET_EPOCH, node, args=args, kwargs=kwargs, receiver=receiver)
        return NONE
    if name == "step" and tables.begins("schedulers", receiver.name):
        w.emit(f"{receiver.name}.step", Effect.RATE_STEP, node, args=args, kwargs=kwargs, receiver=receiver)
        return None
    if name == "step" and _steps(receiver.name):
        note_step(w, receiver, args, kwargs, node)
        return None
    if name == "add_argument" and "ArgumentParser" in receiver.name:
        options.declared(w, receiver, args, kwargs)
        return NONE
    return None


def _steps(name: str) -> bool:
    """Whether ``step`` on an object of this class updates weights."""
    return "Optim" in name or tables.is_optimizer(name) or _SCALER in name


_SCALER = "GradScaler"
"""What scales gradients, and steps the optimizer that it is given."""


def note_rate_step(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """A schedule that a function of a library has made sets the rate."""
    made = receiver.symbol.whole if isinstance(receiver, Unknown) else None
    if isinstance(made, Call) and made.name in w.knowledge.quiet("makes_schedules"):
        w.emit(f"{made.name}.step", Effect.RATE_STEP, node, args=args, kwargs=kwargs, receiver=receiver)


def note_step(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """An optimizer steps: the receiver, or what a scaler is given."""
    scales = isinstance(receiver, Object) and _SCALER in receiver.name
    steps = (kwargs.get("optimizer") or next(iter(args), None)) if scales else receiver
    name = f"{receiver.name}.step" if isinstance(receiver, Object) else "step"
    details: Details = {"optimizer": steps}
    w.emit(name, Effect.OPTIMIZER_STEP, node, args=args, kwargs=kwargs, receiver=receiver, details=details)
