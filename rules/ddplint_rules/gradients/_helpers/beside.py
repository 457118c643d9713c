"""Modules that are trained together with a wrapped one, and that no wrapper knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Object, Symbol, Unknown, Value, Varying, Walk
from ddplint.rule.facts import uniformity
from ddplint_rules.gradients._helpers.gathered import is_cut
from ddplint_rules.gradients._helpers.one_sided import may_hold_weights
from ddplint_rules.gradients._helpers.passes import is_ddp, is_fully_sharded

_DEPTH = 24
_CUTS = frozenset({"detach", "item", "tolist", "argmax", "data"})
"""Methods and attributes behind which there are no gradients."""


@dataclass(frozen=True, eq=False)
class Beside:
    """``call`` uses a module that no wrapper knows; ``wrapped`` is made of another, ``backward`` trains both."""

    call: Event
    wrapped: Event
    backward: Event


def beside(walk: Walk) -> Iterator[Beside]:
    """What is trained by all ranks beside a wrapped part, and averaged by nobody."""
    calls = [event for event in walk.doing(Effect.APART) if event.by_all and not event.details["no_grad"]]
    if walk.cut or not calls:
        return
    wrapped = [event for event in walk.doing(Effect.CONSTRUCT) if event.details.get("parts")]
    known = frozenset[int]().union(*(event.details["parts"] for event in wrapped))
    known = known.union(*(event.details["parts"] for event in walk.doing(Effect.FREEZE)))
    stepped = _stepped(walk)
    for backward in walk.doing(Effect.BACKWARD):
        if not backward.by_all or not backward.loops or not (is_ddp(backward) or is_fully_sharded(backward)):
            continue
        around = [event for event in walk.events if backward.loops[-1] in event.loops]
        if any(may_average(event) for event in around):
            continue
        used = _differentiated(backward, around)
        for call in calls:
            alone = call.details["parts"] - known
            made = [event for event in wrapped if event.order < call.order and event.agrees_with(call)]
            if made and call in around and call.order < backward.order and alone & stepped & used:
                yield Beside(call, made[-1], backward)
                return


def _stepped(walk: Walk) -> frozenset[int]:
    """What optimizers change on all ranks."""
    steps = (event.receiver for event in walk.doing(Effect.OPTIMIZER_STEP) if event.by_all)
    names = {one.id for one in steps if isinstance(one, Object)}
    made = walk.doing(Effect.OPTIMIZER)
    return frozenset[int]().union(*(one.details["parts"] for one in made if getattr(one.result, "id", None) in names))


def may_average(event: Event) -> bool:
    """Whether what ranks exchange, or what nobody could follow, may make gradients or weights alike."""
    if event.effect == Effect.OPAQUE:
        return any(isinstance(one, Object) for value in (*event.args, event.receiver) for one in made_of(value))
    return event.effect == Effect.COLLECTIVE and may_hold_weights(event)


def _differentiated(backward: Event, around: list[Event]) -> frozenset[int]:
    """The modules that a loss is computed with, before the wrapped one and behind it."""
    passes = (event for event in around if event.effect == Effect.FORWARD and not is_cut(event))
    given = [value for event in passes for value in event.args]
    found = (one for value in (backward.receiver, *given) for one in made_of(value))
    return frozenset(one.id for one in found if isinstance(one, Object))


def made_of(value: object) -> Iterator[Value]:
    """What a value is computed from, as far as gradients go back."""
    waiting, seen = [(value, _DEPTH)], set[Symbol]()
    while waiting:
        one, left = waiting.pop()
        parts: tuple[object, ...] = ()
        if isinstance(one, Symbol):
            if one not in seen and not _cuts(one):
                seen.add(one)
                parts = tuple(one.whole.parts)
        elif isinstance(one, Value):
            yield one
            parts = _parts(one)
        waiting += [(part, left - 1) for part in parts if left]


def _cuts(what: Symbol) -> bool:
    return what.whole.head in ("attr", "method") and getattr(what.whole, "name", "") in _CUTS


def _parts(value: Value) -> tuple[object, ...]:
    if isinstance(value, (Unknown, Varying)):
        return (value.symbol,)
    return () if isinstance(value, Object) else uniformity.inner(value)
