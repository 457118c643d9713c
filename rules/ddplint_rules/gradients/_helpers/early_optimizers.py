"""Optimizers that were given parameters which a wrapper has replaced since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Either, Event, Instance, Object, Symbol, Tuple, Unknown, Value, Walk, Wrapped

_DEPTH = 8


@dataclass(frozen=True, eq=False)
class Early:
    """``made`` is given the parameters of a model that ``wrapped`` replaces; ``step`` goes by the old ones."""

    made: Event
    wrapped: Event
    step: Event


def early(walk: Walk) -> Iterator[Early]:
    """The optimizers that are made before their model is sharded, and step afterwards all the same."""
    if walk.cut:
        return  # somebody may have given them the new parameters
    made = {event.result.id: event for event in walk.doing(Effect.OPTIMIZER) if isinstance(event.result, Object)}
    wrapped = [event for event in walk.doing(Effect.CONSTRUCT) if _replaces(event)]
    for step in walk.doing(Effect.OPTIMIZER_STEP) if wrapped else ():
        optimizer = step.details["optimizer"]
        maker = made.get(optimizer.id) if isinstance(optimizer, Object) else None
        if not isinstance(optimizer, Object) or maker is None or not step.by_all or not walk.run_together(step):
            continue
        for one in wrapped:
            if not maker.order < one.order < step.order or not _is_one_run(maker, one, step):
                continue
            if _is_of(maker, one) and not _is_handed_on(walk, optimizer, one, step):
                yield Early(maker, one, step)
                break


def _replaces(event: Event) -> bool:
    """Whether what wraps a model surely puts other parameters into the place of its own."""
    if event.makes("fully_shard"):
        return True
    flat = event.api is not None and event.api.framework == "torch" and event.makes("fsdp")
    if not flat or "**" in event.kwargs:
        return False
    return event.kwargs.get("use_orig_params", Const(False)) == Const(False)


def _is_one_run(*events: Event) -> bool:
    return all(one.agrees_with(other) for one in events for other in events if one.order < other.order)


def _is_of(maker: Event, wrapped: Event) -> bool:
    """Whether the optimizer was given parameters of the model that is wrapped, and of no wrapper."""
    models = set(_models(maker.args[0], _DEPTH))
    if any(isinstance(model, Wrapped) for model in models):
        return False
    return wrapped.argument("module", 0) in models or bool(maker.details["parts"] & wrapped.details["parts"])


def _models(value: object, depth: int) -> Iterator[Value]:
    """The modules that parameters were asked of."""
    if isinstance(value, (Instance, Object, Wrapped)):
        yield value
    parts: tuple[object, ...] = ()
    if isinstance(value, Unknown):
        parts = (value.symbol,)
    elif isinstance(value, Symbol):
        parts = tuple(value.whole.parts)
    elif isinstance(value, Either):
        parts = (value.yes, value.no)
    elif isinstance(value, Tuple):
        parts = value.items
    for part in parts if depth else ():
        yield from _models(part, depth - 1)


def _is_handed_on(walk: Walk, optimizer: Object, wrapped: Event, step: Event) -> bool:
    """Whether code that nobody followed gets the optimizer behind the wrapper: it may give it the new parameters."""
    handed = (event for event in walk.doing(Effect.OPAQUE) if wrapped.order < event.order < step.order)
    return any(optimizer in (*event.args, event.receiver) for event in handed)
