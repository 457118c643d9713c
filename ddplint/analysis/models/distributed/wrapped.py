"""Models behind a wrapper: what their construction, forward, backward and methods communicate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import libcst as cst

from ddplint.analysis.domain import arguments, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives, joined_of
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.term import Attr, Symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Const,
    Container,
    Either,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    source_of,
    unknown,
    varying_in,
)
from ddplint.analysis.interp import argument_update
from ddplint.analysis.memory import classes, modes, wrapping
from ddplint.analysis.memory.modes import Contexts
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import AWAITS, CHANGED, SWITCHED_OFF, UNSYNCED, WrappedModels
from ddplint.analysis.models import results
from ddplint.analysis.models.data import loaders, sharing
from ddplint.analysis.models.distributed import (
    collectives,
    handed_back,
    learned,
    never_run,
    parts,
    returned,
    sharding,
    torch_modules,
)
from ddplint.analysis.models.distributed.meshes import passes
from ddplint.analysis.models.distributed.torch_modules import buffers_of
from ddplint.analysis.openworld.values import holders, lacking
from ddplint.analysis.trace.events import Details
from ddplint.knowledge import Api, guesses, tables
from ddplint.source import calls


def wrap(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """Call a wrapper."""
    w.distributed = w.distributed or not row.compiles
    if not wrapping.wraps_model(row):
        own, label = sharing.order_given(w, row, kwargs), wrapping.short(row)
        event = w.emit(
            row, Effect.CONSTRUCT, node, args=args, kwargs=kwargs, receiver=receiver, label=label, details=own
        )
        if "collective" in row.also:
            w.operate(event, f"construct {label}")
        return w.external_object(row.name, args, kwargs, node)
    event = w.emit(
        row,
        Effect.CONSTRUCT,
        node,
        args=args,
        kwargs=kwargs,
        receiver=receiver,
        label=f"{wrapping.short(row)} construction",
        details={
            **collectives.devices(w, kwargs),
            **parts.given_to(w, args, kwargs),
            "never_run": never_run.any_of(w, (*args, *kwargs.values())),
            "plain": row.form == "class" or lacking.is_plain(w, receiver),
        },
    )
    if ("collective" in row.also or row.form == "class") and not loaders.are_all(args, kwargs):
        w.operate(event, f"construct {wrapping.short(row)}")
    if row.name.endswith(".prepare") or row.name.endswith(".setup") or row.name.endswith(".boost"):
        return _prepared(w, row, args, kwargs, node, receiver)
    if row.wraps == "deepspeed":
        model = kwargs.get("model") or (args[1] if len(args) > 1 else unknown("model"))
        loader = w.external_object("deepspeed.runtime.dataloader.DeepSpeedDataLoader", [], {}, node)
        return Tuple((wrapped(w, row, model, kwargs, node), unknown("optimizer"), loader, unknown("scheduler")))
    inner = arguments.argument(args, kwargs, "module", 0) or kwargs.get("model") or unknown("module")
    if "in_place" in row.also:
        made = wrapped(w, row, inner, kwargs, node)
        _rebind(w, node, inner, made)
        return made
    return wrapped(w, row, inner, kwargs, node, receiver)


def _rebind(w: Interp, node: cst.CSTNode, inner: Value, made: Value) -> None:
    """The module itself has changed: it is the wrapped one here, for those who handed it on, wherever it is kept."""
    target = calls.argument(node, "module", 0) if isinstance(node, cst.Call) else None
    argument_update.change(w, target, inner, made)
    place = classes.place_of(w, inner)
    if place is not None and isinstance(made, Wrapped):
        w.state.write((place, CHANGED), TRUE)
        w.record(WrappedModels).changed.setdefault(inner, []).append((w.state.path, made))


def wrapped(w: Interp, row: Api, inner: Value, kwargs: Kwargs, node: cst.CSTNode, maker: Value | None = None) -> Value:
    """The model that a wrapper makes of ``inner``; ``maker`` is the object whose method wraps it."""
    inner = w.state.narrow(inner)
    if isinstance(inner, Either):
        return w.lift(node, lambda seen: wrapped(w, row, seen, kwargs, node, maker), inner)
    handed_back.note(w, maker, node, model=True)
    split = sharding.splits(w, maker) or sharding.by_configuration(w, row, kwargs)
    buffers: bool | None = None if split or wrapping.is_engine(row) else buffers_of(w, inner)
    if kwargs.get("broadcast_buffers") == FALSE or kwargs.get("forward_sync_buffers") == FALSE:
        buffers = False
    made = Wrapped(row, inner, next(w.ids), w.here(node), buffers, tuple(kwargs.items()), row.name, split)
    if isinstance(inner, (Instance, Object, Unknown)):
        w.record(WrappedModels).bare[inner] = made
    return made


def _prepared(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """``accelerator.prepare(model, optimizer, loader)``: each argument becomes its distributed form."""
    made = [
        wrapped(w, row, value, {}, node, receiver)
        if sharing.is_optimized(w, value, args)
        else _prepare_one(w, row, value, i, receiver, node)
        for i, value in enumerate(args)
    ]
    if "*" in kwargs:
        return handed_back.with_others(w, made, node)
    return made[0] if len(made) == 1 else Tuple(tuple(made))


def _prepare_one(w: Interp, row: Api, value: Value, index: int, receiver: Value | None, node: cst.CSTNode) -> Value:
    if isinstance(value, Either):
        return w.lift(node, lambda seen: _prepare_one(w, row, seen, index, receiver, node), value)
    if isinstance(value, Object):
        if "DataLoader" in value.name:
            return sharing.loader(w, value, receiver, node)
        if tables.begins("optimizers", value.name) or "Optimizer" in value.name or "Scheduler" in value.name:
            return value
        if tables.begins("layers", value.name):
            return wrapped(w, row, value, {}, node, receiver)
        if handed_back.is_held(w, value):
            return _handed_back(w, value, receiver, node)
    if isinstance(value, Instance):
        is_module = any("Module" in name or "Model" in name for name in classes.external_bases(w, value.cls))
        return wrapped(w, row, value, {}, node, receiver) if is_module else value
    target = calls.argument(node, "", index) if isinstance(node, cst.Call) else None
    name = results.expressions_text(target).lower() if target is not None else ""
    if "loader" in name:
        return Object(sharing.SHARD, next(w.ids))
    last = name.rpartition(".")[2]
    if isinstance(value, Const) or guesses.pattern("no model").search(last):
        return value
    if handed_back.is_held(w, value) or holders.is_holder(w, target, node):
        return _handed_back(w, value, receiver, node)
    handed_back.note(w, receiver, node, model=True)
    if guesses.pattern("model").search(last) is None:
        return value
    made = wrapped(w, row, value, {}, node, receiver)
    if isinstance(made, Wrapped) and isinstance(value, (Unknown, Varying)):
        w.record(WrappedModels).by_name.add(made.id)
    return made


def _handed_back(w: Interp, holder: Value, maker: Value | None, node: cst.CSTNode) -> Value:
    """What holds modules comes back as it is: nothing in it is wrapped, and no pass of it communicates."""
    handed_back.note(w, maker, node, holder=True)
    return holder


# -- using it --------------------------------------------------------------------------------------------------------


def forward(w: Interp, model: Wrapped, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a wrapped model: an operation of its own, then the inner module's forward."""
    quiet, apart = modes.flag(w, "no_grad"), modes.flag(w, "no_sync")
    engine = wrapping.always_communicates(model)
    label = f"{wrapping.short(model.api)} forward"
    event = w.emit(
        f"{model.name}.forward",
        Effect.FORWARD,
        node,
        api=model.api,
        args=args,
        kwargs=kwargs,
        receiver=model,
        label=label,
        details={
            "no_grad": quiet,
            "no_sync": apart,
            "buffers": model.buffers,
            "wrapped": model,
            "engine": engine,
        },
    )
    if not quiet:
        if not wrapping.is_sharded_in_place(model):
            w.state.write((model.id, UNSYNCED), TRUE if apart else w.state.read((model.id, SWITCHED_OFF)) or FALSE)
        wrapping.may_be_called(w, model)
    if engine or (wrapping.may_meet(w, model.api) and not (quiet and model.buffers is False)):
        passes.meet(w, model, event, "forward", node)
    result: Value | None = None
    if isinstance(model.inner, Instance):
        found, _ = classes.find_in_class(w, model.inner.cls, "forward")
        if found is not None:
            with parts.passing(w, model, event.order):
                result = w.semantics.call_value(w, found, [model.inner, *args], kwargs, node)
    elif isinstance(model.inner, Wrapped):
        return forward(w, model.inner, args, kwargs, node)
    local = next((v for arg in (*args, *kwargs.values()) if (v := varying_in(arg)) is not None), None)
    return _tagged(w, result, model, local, not quiet, node)


def _tagged(
    w: Interp, result: Value | None, model: Wrapped, local: Varying | None, grad: bool, node: cst.CSTNode
) -> Value:
    """Outputs remember the model; with gradients on, training data is taken to be each rank's own."""
    if isinstance(result, Tuple):
        return Tuple(tuple(_tagged(w, item, model, local, grad, node) for item in result.items))
    tag = partial(_tagged, w, model=model, local=local, grad=grad, node=node)
    if isinstance(result, Container) and returned.are_tagged(w, result, model, tag):
        return result
    if isinstance(result, (Instance, Object)) or (isinstance(result, Const) and result != NONE):
        return result
    what = result.symbol if isinstance(result, (Unknown, Varying)) else fresh("output")
    found = varying_in(result) if result is not None else None
    local = found or local
    if local is not None:
        return Varying(Reason.DATA, what, local.trail, model)
    if grad and not model.api.compiles:
        return Varying(Reason.DATA, what, w.trail(node, "output on this rank's own batch"), model)
    return Unknown(what, model)


def note_bare(w: Interp, model: Value, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """A call of the module inside a wrapper (or of a method or part of it), past the wrapper, is an event."""
    bare = w.record(WrappedModels).bare
    wrapper = (bare.get(model) or _around(bare, model)) if bare else None
    if (
        wrapper is None
        or "in_place" in wrapper.api.also
        or not (args or kwargs)
        or any(frame.receiver == model for frame in w.frames)
    ):
        return
    w.emit(
        f"{wrapper.name}.module",
        Effect.INNER_FORWARD,
        node,
        api=wrapper.api,
        args=args,
        kwargs=kwargs,
        receiver=wrapper,
        label=name or "forward",
        details={"no_grad": modes.flag(w, "no_grad"), "wrapped": wrapper},
    )


def _around(bare: Mapping[Value, Wrapped], part: Value) -> Wrapped | None:
    """The wrapper of an unseen module that something is, or is a part of, on each way: ``ddp.module.base_model``."""
    known = {inner.symbol: wrapper for inner, wrapper in bare.items() if isinstance(inner, Unknown)}
    stack, seen, found = [part.symbol] if known and isinstance(part, Unknown) else [], set[Symbol](), list[Wrapped]()
    while stack:
        one = stack.pop()
        while one not in known and isinstance(one, Attr) and isinstance(one.base, Symbol):
            one = one.base
        if one in known:
            found.append(known[one])
        elif one not in seen:
            seen.add(one)
            joined = joined_of(one)
            if joined is None:
                return None
            stack += joined[1:]
    return found[0] if found and all(one is found[0] for one in found) else None


def backward(w: Interp, loss: Value, node: cst.CSTNode) -> Value:
    """``loss.backward()``: a gradient reduction when the loss came out of a wrapped model."""
    source = source_of(loss)
    if source is None and isinstance(loss, (Unknown, Varying)):
        awaiting = {getattr(model.site, "node", model.id): (model, held) for model, held in _awaiting(w)}
        if len(awaiting) == 1:  # there is no other model that it may be the loss of
            model, held = next(iter(awaiting.values()))
            through = w.split(
                held, node, GuardKind.CALL, lambda seen: _through(w, loss, model if seen == TRUE else None, node)
            )
            return through or NONE
    return _through(w, loss, source, node)


def _awaiting(w: Interp) -> Iterator[tuple[Wrapped, Value]]:
    """The models that were called with gradients and wait for a backward pass, those last that surely do."""
    held = [(model, w.state.read((model.id, AWAITS)) or FALSE) for model in w.record(WrappedModels).trained.values()]
    yield from sorted((pair for pair in held if TRUE in alternatives(pair[1])), key=lambda pair: pair[1] == TRUE)


def _through(w: Interp, loss: Value, source: Wrapped | None, node: cst.CSTNode) -> Value:
    """A backward pass through a wrapped model, or through none."""
    if source is not None:
        w.state.write((source.id, AWAITS), FALSE)
    if source is None or (wrapping.always_communicates(source) and not wrapping.is_sharded_in_place(source)):
        return _backward(w, loss, source, modes.flag(w, "no_sync"), node)
    apart = w.state.read((source.id, UNSYNCED)) or FALSE
    return w.split(apart, node, GuardKind.CALL, lambda seen: _backward(w, loss, source, seen == TRUE, node)) or NONE


def _backward(w: Interp, loss: Value, source: Wrapped | None, quiet: bool, node: cst.CSTNode) -> Value:
    event = w.emit(
        "torch.Tensor.backward",
        Effect.BACKWARD,
        node,
        receiver=loss,
        label="gradient all-reduce",
        details={"wrapped": source, "no_sync": quiet},
    )
    if w.record(WrappedModels).bare:
        learned.note_loss(w, loss, node)
    if source is not None and (not quiet or wrapping.is_sharded_in_place(source)):
        loaders.trained_on(w)
        passes.meet(w, source, event, "backward", node)
    return NONE


def _runs_sharded(w: Interp, model: Wrapped, name: str) -> bool:
    """Whether a method that a model has from its own class is known to run its parts, which gather their parameters."""
    sharded = model.split or wrapping.is_sharded_in_place(model)
    kind = results.class_of(w, model.inner) if sharded else None
    row = w.knowledge.lookup(f"{kind}.{name}") if kind is not None else None
    return row is not None and row.kind == "collective" and bool(row.when)


def method(w: Interp, model: Wrapped, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A method of a wrapped model or engine."""
    if name in ("to", "cuda", "cpu", "train", "eval", "half", "float", "bfloat16", "requires_grad_", "compile"):
        torch_modules.switched(w, model, name, [*args, *kwargs.values()], node)
        return model
    if name == "forward":
        return forward(w, model, args, kwargs, node)
    full = f"{model.name}.{name}"
    if name == "set_requires_gradient_sync" and wrapping.is_sharded_in_place(model):
        return sharding.set_sync(w, model, args, kwargs, node)
    if name == "no_sync":
        made = w.external_object(full, args, kwargs, node)
        row = w.knowledge.lookup("torch.nn.parallel.DistributedDataParallel.no_sync")
        if row is not None:
            w.record(Contexts).rows[made.id] = row
        return made
    if name == "join":
        made = w.external_object(full, args, kwargs, node)
        row = w.knowledge.lookup("torch.distributed.algorithms.Join")
        if row is not None:
            w.record(Contexts).rows[made.id] = row
        return made
    row = w.knowledge.lookup(f"{wrapping.class_of(model)}.{name}")
    if name == "backward" or (name in wrapping.methods_of(model.api) and name == "step"):
        label = "gradient all-reduce" if name == "backward" else f"{wrapping.short(model.api)} step"
        event = w.emit(
            full,
            Effect(name),
            node,
            api=row,
            args=args,
            kwargs=kwargs,
            receiver=model,
            label=label,
            details={"wrapped": model},
        )
        if name == "backward":
            learned.note_loss(w, args[0] if args else None, node)
            loaders.trained_on(w)
        w.operate(event, name)
        return NONE
    if row is not None and row.kind != "local":
        return w.models.apply(w, row, row.name, args, kwargs, node, model)
    passes_inside = row is None and _runs_sharded(w, model, name)
    if name in wrapping.methods_of(model.api) or passes_inside:
        effect = Effect.SAVE_ALL_RANKS if "state_dict" in name or "save" in name else Effect.COLLECTIVE
        details: Details = {"wrapped": model, "passes_inside": passes_inside}
        label = f"{wrapping.short(model.api)} {name}"
        event = w.emit(
            full, effect, node, api=model.api, args=args, kwargs=kwargs, receiver=model, label=label, details=details
        )
        w.operate(event, name)
        return results.result_of(w, ("method", name, model), args, node)
    if row is None:
        lacking.note(w, model, name, node)
    other = w.knowledge.any_method(name)
    if other is not None:
        return w.models.apply(w, other, other.name, args, kwargs, node, model)
    return terms.derived(("method", name, model), args)
