"""What each rank does to the training by what it has worked out for itself: steps, rates, buffers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Guard, GuardKind, Reason, Symbol, Unknown, Value, Varying, Walk, terms
from ddplint_rules.gradients._helpers.averages import made_of
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


_MOST = 400
"""Terms in a loss that are looked at."""


def own_buffers(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Buffers that each rank keeps of its own samples and that no wrapper broadcasts, and a loss that goes by them."""
    kept = [event for event in walk.doing(Effect.OWN_BUFFER) if event.by_all and not _is_broadcast(event)]
    reported: set[object] = set()
    for change in kept if not walk.cut else ():
        if change.node in reported or not walk.run_together(change) or _is_exchanged(walk, change):
            continue
        again = any(_goes_on(change, other) for other in kept)
        used = (event for event in walk.doing(Effect.BACKWARD) if _goes_by(event, change, again))
        backward = next((event for event in used if event.model_behind("ddp", "fully_shard") is not None), None)
        if backward is not None:
            reported.add(change.node)
            yield change, backward


def _is_broadcast(change: Event) -> bool:
    """Whether the wrapper around the module may copy its buffers from the first rank before each pass."""
    wrapped = change.details.get("wrapped")
    if wrapped is None or wrapped.api.wraps == "fully_shard":
        return False
    return wrapped.api.wraps != "ddp" or dict(wrapped.kwargs).get("broadcast_buffers") != Const(False)


def _samples(value: Value | None) -> set[Symbol]:
    """The samples that a value was worked out of."""
    if not isinstance(value, Varying):
        return set()
    return {one for one in value.symbol.within(_MOST) if one.is_fresh("element", "batch")}


def _goes_on(change: Event, other: Event) -> bool:
    """Whether the same buffer gets more samples later, added to those that it has."""
    if other.order <= change.order or (other.receiver, other.args[0]) != (change.receiver, change.args[0]):
        return False
    new = other.args[1]
    adds = isinstance(new, Varying) and isinstance(new.symbol.whole, terms.Operation)
    return adds and _samples(change.args[1]) < _samples(new)


def _goes_by(backward: Event, change: Event, again: bool) -> bool:
    """Whether a loss of all ranks is worked out of the buffer, as it was left by another iteration."""
    loss = backward.receiver
    if not backward.by_all or not isinstance(loss, Varying) or not set(backward.loops) & set(change.loops):
        return False
    if again and backward.order > change.order and _samples(change.args[1]) < _samples(loss):
        return True
    if not change.name.endswith("__setitem__"):
        return False  # nothing of what it had is left
    within = (
        one for part in made_of(loss) if isinstance(part, (Unknown, Varying)) for one in part.symbol.within(_MOST)
    )
    return any(_is_buffer(one, change) for one in within)


def _is_buffer(what: Symbol, change: Event) -> bool:
    whole = what.whole
    return isinstance(whole, terms.Attr) and whole.base == change.receiver and Const(whole.name) == change.args[0]


def _is_exchanged(walk: Walk, change: Event) -> bool:
    """Whether ranks exchange buffers of modules anywhere: this one, or all that a module has."""
    for event in walk.doing(Effect.COLLECTIVE):
        for given in (*event.args, *event.details.get("content", ())):
            inside = given.symbol.within(_MOST) if hasattr(given, "symbol") else ()
            if any(_is_buffer(one, change) or _is_of_all_buffers(one) for one in inside):
                return True
    return False


def _is_of_all_buffers(what: Symbol) -> bool:
    return isinstance(what.whole, terms.Method) and what.whole.name in ("buffers", "named_buffers", "state_dict")


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
