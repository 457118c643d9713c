"""Models that each process spreads over GPUs of its own, while no process averages gradients with the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Object, PerRank, Place, Walk
from ddplint.rule.facts import made_at
from ddplint_rules.gradients._helpers.averages import losses_of, made_of, may_average

_SPREADS = "torch.nn.DataParallel"


@dataclass(frozen=True, eq=False)
class OwnReplica:
    """``made`` spreads a model within one process; every rank trains it at ``backward``, and ``step`` follows."""

    made: Place
    backward: Event
    step: Event


def own_replicas(walk: Walk) -> Iterator[OwnReplica]:
    """What all ranks train, each for itself, in a program that has made a group for certain by then."""
    if walk.cut or keep_their_own(walk):
        return
    reported: set[object] = set()
    losses = losses_of(walk)
    for backward in walk.doing(Effect.BACKWARD):
        if not backward.by_all or not backward.loops or backward.details["wrapped"] is not None:
            continue
        model = next(filter(_spreads, made_of(backward.receiver)), None)
        around = [event for event in walk.events if backward.loops[-1] in event.loops]
        if not isinstance(model, Object) or model.site in reported or not has_group(walk, backward):
            continue
        step = next((one for one in around if one.effect == Effect.OPTIMIZER_STEP and one.order > backward.order), None)
        if step is None or not step.by_all or any(may_average(event, losses) for event in walk.events):
            continue
        reported.add(model.site)
        made = made_at(walk, model)
        if made is not None and walk.run_together(backward):
            yield OwnReplica(Place(*made), backward, step)


def _spreads(value: object) -> bool:
    return isinstance(value, Object) and value.name == _SPREADS


def has_group(walk: Walk, backward: Event) -> bool:
    """Whether whoever comes to a backward pass has made the group of all ranks before."""
    begun = [event for event in walk.doing(Effect.INIT) if event.order < backward.order and event.by_all]
    return any(event.path.items() <= backward.path.items() for event in begun)


def keep_their_own(walk: Walk) -> bool:
    """Whether ranks keep what they have trained under names of their own: they mean to train several models."""
    return any(event.by_all and isinstance(event.target, PerRank) for event in walk.doing(Effect.WRITE))
