"""Models that every rank trains on its share of the samples, and that nobody makes one model of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Object, Walk
from ddplint.rule.code import calls_in, last_part
from ddplint.rule.facts import Pass, made_by, passes, shuffles
from ddplint.rule.knowledge import is_optimizer
from ddplint_rules.gradients._helpers.averages import losses_of, made_of, may_average
from ddplint_rules.gradients._helpers.own_replicas import has_group, keep_their_own

_BY_OTHERS = frozenset({Effect.CONSTRUCT, Effect.ARMS_REDUCTION, Effect.POINT_TO_POINT, Effect.STEP})
"""Where a program has any of these, ranks hold parts of a model, or something else brings it together."""
_HOOKS = ("hook", "averag")
"""What is called that arms what runs when nobody sees it, or that brings weights together."""


@dataclass(frozen=True, eq=False)
class NeverWrapped:
    """All ranks train at ``backward`` on the shares of ``sampler``, and ``step`` with what each has for itself."""

    backward: Event
    sampler: Event
    step: Event


def never_wrapped(walk: Walk) -> Iterator[NeverWrapped]:
    """What is trained on shares of the samples, in a program in which nothing is seen that averages gradients."""
    if walk.cut or any(event.effect in _BY_OTHERS for event in walk.events) or keep_their_own(walk):
        return
    losses = losses_of(walk)
    for backward in walk.doing(Effect.BACKWARD):
        share = next((one for one in passes(walk) if _is_trained_on(one, backward)), None)
        if share is None or not backward.by_all or not has_group(walk, backward) or not walk.run_together(backward):
            continue
        made = made_by([walk], share.sampler)
        step = next((one for one in walk.doing(Effect.OPTIMIZER_STEP) if _steps(walk, one, backward)), None)
        if step is None or made is None or _may_run_unseen(backward, step):
            continue
        if not any(may_average(event, losses) for event in walk.events):
            yield NeverWrapped(backward, made, step)
            return


def _is_trained_on(share: Pass, backward: Event) -> bool:
    """Whether a loop goes over a rank's share in an order by chance, as training does, around a backward pass."""
    return share.loop in backward.loops and share.certain and shuffles(share.sampler) is True and share.event.by_all


def _steps(walk: Walk, step: Event, backward: Event) -> bool:
    """Whether an optimizer of torch changes, by what came of the backward pass, weights that the loss is made with."""
    optimizer = step.details["optimizer"]
    if step.order < backward.order or backward.loops[-1] not in step.loops or not step.by_all:
        return False
    if not isinstance(optimizer, Object) or not is_optimizer(optimizer.name):
        return False
    made = made_by([walk], optimizer, Effect.OPTIMIZER)
    used = {one.id for one in made_of(backward.receiver) if isinstance(one, Object)}
    return made is not None and not used.isdisjoint(made.details["parts"])


def _may_run_unseen(*events: Event) -> bool:
    """Whether something that is set up in the files around may average when nobody calls it."""
    files = {id(frame.file): frame.file for event in events for frame in event.stack}
    names = (last_part(call.func).lower() for file in files.values() for call in calls_in(file.module))
    return any(word in name for name in names for word in _HOOKS)
