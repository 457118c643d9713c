"""Parameters that are put into a model behind its wrapper, which knows nothing of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Instance, Object, Value, Walk, Wrapped
from ddplint.rule.facts import BACKWARD


@dataclass(frozen=True, eq=False)
class ReplacedPart:
    """``change`` puts new parameters into a model that is ``wrapped`` already; ``backward`` trains them."""

    change: Event
    wrapped: Wrapped
    backward: Event


def replaced_parts(walk: Walk) -> Iterator[ReplacedPart]:
    """What gets new parameters behind the wrapper, and is trained with them on all ranks."""
    frozen = {part for event in walk.doing(Effect.FREEZE) for part in event.details["parts"]}
    for change in walk.doing(Effect.REPLACED) if not walk.cut else ():
        model = change.receiver
        if not isinstance(model, Wrapped) or model.split or model.api.wraps not in ("ddp", "fully_shard", "prepare"):
            continue
        if change.details["parts"] <= frozen | _wrapped_then(walk, change, model):
            continue
        if change.details["added"] and not _is_used(walk, change):
            continue
        backward = next((event for event in walk.events if _trains(event, model, change)), None)
        if backward is not None and not _is_wrapped_anew(walk, model, change, backward):
            yield ReplacedPart(change, model, backward)


def _is_used(walk: Walk, change: Event) -> bool:
    """Whether a forward pass of the wrapped model uses what is new in it."""
    later = (event for event in walk.doing(Effect.PART) if event.order > change.order and not event.details["no_grad"])
    return any(event.details["parts"] & change.details["parts"] for event in later)


def _wrapped_then(walk: Walk, change: Event, model: Wrapped) -> frozenset[int]:
    """What was in the model when it was wrapped: the same parameters in another place are known to the wrapper."""
    made = (event for event in walk.doing(Effect.CONSTRUCT) if event.node is getattr(model.site, "node", None))
    return frozenset[int]().union(*(event.details["parts"] for event in made if event.order < change.order))


def _trains(event: Event, model: Wrapped, change: Event) -> bool:
    if event.order < change.order or not event.by_all or not change.by_all or not event.agrees_with(change):
        return False
    if event.effect == Effect.BACKWARD:
        return _root(event.details.get("wrapped")) == _root(model)
    return event.name == BACKWARD


def _is_wrapped_anew(walk: Walk, model: Wrapped, change: Event, backward: Event) -> bool:
    """Whether a wrapper gets the model once more, or what is in it, before it is trained."""
    added = change.details["parts"]
    made = (event for event in walk.doing(Effect.CONSTRUCT) if change.order < event.order < backward.order)
    return any(added & event.details.get("parts", frozenset()) for event in made)


def _root(model: Value | None) -> object:
    """The module behind all wrappers."""
    while isinstance(model, Wrapped):
        model = model.inner
    return model.id if isinstance(model, (Instance, Object)) else model
