"""Modules that are trained together with a wrapped one, and that no wrapper knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Object, Walk
from ddplint_rules.gradients._helpers.averages import losses_of, made_of, may_average
from ddplint_rules.gradients._helpers.gathered import is_cut
from ddplint_rules.gradients._helpers.passes import is_ddp, is_fully_sharded


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
    stepped, losses = _stepped(walk), losses_of(walk)
    for backward in walk.doing(Effect.BACKWARD):
        if not backward.by_all or not backward.loops or not (is_ddp(backward) or is_fully_sharded(backward)):
            continue
        around = [event for event in walk.events if backward.loops[-1] in event.loops]
        if any(may_average(event, losses) for event in around):
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


def _differentiated(backward: Event, around: list[Event]) -> frozenset[int]:
    """The modules that a loss is computed with, before the wrapped one and behind it."""
    passes = (event for event in around if event.effect == Effect.FORWARD and not is_cut(event))
    given = [value for event in passes for value in event.args]
    found = (one for value in (backward.receiver, *given) for one in made_of(value))
    return frozenset(one.id for one in found if isinstance(one, Object))
