"""Parameters that were not to be trained when their model was wrapped, and are trained later all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Instance, Object, Symbol, Tuple, Unknown, Value, Walk, Wrapped, terms
from ddplint_rules.gradients._helpers.averages import losses_of, may_average
from ddplint_rules.gradients._helpers.passes import is_ddp


@dataclass(frozen=True, eq=False)
class ThawedPart:
    """``thaw`` has parameters trained again that were not to be when ``wrapped`` was made; ``backward`` does so."""

    thaw: Event
    wrapped: Event
    backward: Event


def thawed_parts(walk: Walk) -> Iterator[ThawedPart]:
    """What DistributedDataParallel has left out, because it was frozen then, and all ranks train behind it."""
    thaws = [event for event in walk.doing(Effect.THAW) if event.by_all and event.model_behind("ddp")]
    losses, told = losses_of(walk), set[object]()
    for thaw in thaws if not walk.cut else ():
        wrapped = _maker(walk, thaw)
        if wrapped is None or thaw.node in told or not _is_frozen(walk, thaw, wrapped):
            continue
        backward = next((event for event in walk.events if _follows(event, thaw)), None)
        if backward is None or not _is_stepped(walk, thaw) or _is_wrapped_anew(walk, thaw, wrapped):
            continue
        if not any(may_average(event, losses) for event in walk.events if set(backward.loops) & set(event.loops)):
            told.add(thaw.node)
            yield ThawedPart(thaw, wrapped, backward)


def _maker(walk: Walk, thaw: Event) -> Event | None:
    """Where all ranks put the model behind its wrapper."""
    model = thaw.details["wrapped"]
    site = getattr(model.site, "node", None) if isinstance(model, Wrapped) else None
    made = (event for event in walk.doing(Effect.CONSTRUCT) if event.node is site and event.order < thaw.order)
    return next((event for event in made if event.by_all and event.agrees_with(thaw)), None)


def _is_frozen(walk: Walk, thaw: Event, wrapped: Event) -> bool:
    """Whether what is trained from now on was surely not to be trained when the model was wrapped."""
    frozen = False
    for event in walk.doing(Effect.FREEZE, Effect.THAW):
        if event.order >= wrapped.order or not event.agrees_with(thaw):
            continue
        surely = event.by_all and all(thaw.path.get(what) is holds for what, holds in event.path.items())
        if event.effect == Effect.FREEZE:
            frozen = frozen or (surely and _is_in(thaw, event))
        elif _is_in(thaw, event) or _is_in(event, thaw):
            frozen = False
    return frozen


def _is_in(thaw: Event, freeze: Event) -> bool:
    """Whether all that one event is about is something that the other is about."""
    what: Value | object = thaw.receiver
    while what is not None:
        if what == freeze.receiver:
            return True
        inner = what.symbol.whole if isinstance(what, Unknown) else None
        base = inner.base if isinstance(inner, (terms.Attr, terms.Item)) else None
        what = Unknown(base) if isinstance(base, Symbol) else base
    if not isinstance(thaw.receiver, (Instance, Object)) or not isinstance(freeze.receiver, (Instance, Object)):
        return False
    return bool(thaw.details["parts"]) and thaw.details["parts"] <= freeze.details["parts"]


def _follows(event: Event, thaw: Event) -> bool:
    """Whether a backward pass of all ranks runs behind it, in the next round of a loop around both perhaps."""
    if event.effect != Effect.BACKWARD or not event.by_all or not is_ddp(event):
        return False
    if _root(event.details.get("wrapped")) != _root(thaw.details["wrapped"]):
        return False
    return event.agrees_with(thaw) if event.order > thaw.order else bool(set(event.loops) & set(thaw.loops))


def _is_wrapped_anew(walk: Walk, thaw: Event, wrapped: Event) -> bool:
    """Whether the model gets another wrapper, or what nobody could follow may give it one."""
    later = [event for event in walk.doing(Effect.CONSTRUCT, Effect.OPAQUE) if event.order > wrapped.order]
    model = _root(thaw.details["wrapped"])
    return any(
        event.effect == Effect.CONSTRUCT or any(_root(one) == model for one in (*event.args, *event.kwargs.values()))
        for event in later
    )


def _is_stepped(walk: Walk, thaw: Event) -> bool:
    """Whether an optimizer that all ranks step has all parameters of the model, as they are: none are picked."""
    steps = (event.receiver for event in walk.doing(Effect.OPTIMIZER_STEP) if event.by_all)
    names = {one.id for one in steps if isinstance(one, Object)}
    made = (one for one in walk.doing(Effect.OPTIMIZER) if getattr(one.result, "id", None) in names)
    model = _root(thaw.details["wrapped"])
    return any(_has_all(one.argument("params", 0), model) for one in made)


def _has_all(given: Value | None, model: object) -> bool:
    if isinstance(given, Tuple):
        return any(_has_all(one, model) for one in given.items)
    what = given.symbol.whole if isinstance(given, Unknown) else None
    if not isinstance(what, terms.Method) or what.name != "parameters":
        return False
    return isinstance(what.receiver, Value) and _root(what.receiver) == model


def _root(model: Value | None) -> object:
    """The module behind all wrappers."""
    while isinstance(model, Wrapped):
        model = model.inner
    return model.id if isinstance(model, (Instance, Object)) else model
