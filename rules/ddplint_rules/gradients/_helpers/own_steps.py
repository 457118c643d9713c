"""Steps of an optimizer that each rank takes or leaves out by what it has worked out for itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Guard, GuardKind, Reason, Walk
from ddplint_rules.gradients._helpers.one_sided import changed

_OWN = frozenset({Reason.CLOCK, Reason.DATA, Reason.LENGTH, Reason.RANDOM})
_ASKS = frozenset({GuardKind.IF, GuardKind.AND, GuardKind.OR, GuardKind.MATCH, GuardKind.TERNARY})


@dataclass(frozen=True, eq=False)
class OwnStep:
    """``step`` is taken where ``guard`` lets a rank through, with the gradients of all that ``backward`` averaged.

    Or it sets the rate with which all step: then ``rate`` is true.
    """

    step: Event
    guard: Guard
    backward: Event
    rate: bool = False


def own_steps(walk: Walk) -> Iterator[OwnStep]:
    """The steps that ranks take by a decision of their own, though they have the same gradients for them."""
    backwards = [
        one for one in walk.doing(Effect.BACKWARD) if one.model_behind("ddp", "fsdp", "fully_shard") is not None
    ]
    steps = list(walk.doing(Effect.OPTIMIZER_STEP)) if backwards and not walk.cut else []
    reported = {id(one.guard.node) for one in walk.divergences}
    for step in steps:
        guard = next((one for one in reversed(step.guards) if _parts(one)), None)
        if guard is None or _ends_there(walk, guard):
            continue
        if not step.by_all or id(guard.node) in reported or _is_taken_elsewhere(step, guard, steps):
            continue
        backward = next((one for one in reversed(backwards) if _gives_gradients(one, step, guard)), None)
        if backward is not None:
            reported.add(id(guard.node))
            yield OwnStep(step, guard, backward)


def own_rates(walk: Walk) -> Iterator[OwnStep]:
    """The learning rates that ranks change by a decision of their own, and step with."""
    backwards = [
        one for one in walk.doing(Effect.BACKWARD) if one.model_behind("ddp", "fsdp", "fully_shard") is not None
    ]
    found = [(event, *changed(event)) for event in walk.events] if backwards and not walk.cut else []
    rates = [(event, key) for event, kind, key in found if kind == "rate"]
    reported = {id(one.guard.node) for one in walk.divergences}
    for change, key in rates:
        guard = next((one for one in reversed(change.guards) if _parts(one)), None)
        if guard is None or id(guard.node) in reported or not change.by_all or _ends_there(walk, guard):
            continue
        same = [event for event, other in rates if other == key and event.node is not change.node]
        if any(any(asked.node is guard.node for asked in event.guards) for event in same):
            continue
        used = any(kind == "step" and other == key and event.by_all for event, kind, other in found)
        backward = next((one for one in reversed(backwards) if _gives_gradients(one, change, guard)), None)
        if used and backward is not None:
            reported.add(id(guard.node))
            yield OwnStep(change, guard, backward, rate=True)


def _ends_there(walk: Walk, guard: Guard) -> bool:
    """Whether the others end, and say why."""
    return walk.presence is not None and id(guard) in walk.presence.over


def _parts(guard: Guard) -> bool:
    return guard.reason in _OWN and guard.kind in _ASKS and not guard.guess


def _gives_gradients(backward: Event, step: Event, guard: Guard) -> bool:
    """Whether all ranks come from a backward pass to the decision."""
    asked = any(one.node is guard.node for one in backward.guards)
    return backward.order < step.order and backward.by_all and not asked and backward.agrees_with(step)


def _is_taken_elsewhere(step: Event, guard: Guard, steps: list[Event]) -> bool:
    """Whether the same optimizer steps on the other way, too, or wherever a rank goes."""
    same = [one for one in steps if one.node is not step.node and one.details["optimizer"] == step.details["optimizer"]]
    return any(any(asked.node is guard.node for asked in one.guards) for one in same)
