"""Distributed samplers that are made for a data set and given to none of its loaders."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Either, Event, Object, PerRank, Tuple, Value, Walk
from ddplint_rules.common import multiplicity

__all__ = ["idle"]

_PLAIN = ("RandomSampler", "SequentialSampler")


def idle(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Samplers that nothing uses, each with a loader of the same data set that no sampler shares out."""
    loaders = [event for event in walk.events if event.effect == "loader" and isinstance(event.result, Object)]
    for sampler in walk.events:
        made = sampler.result
        if sampler.effect != "sampler" or sampler.api is None or sampler.ranks != sampler.everyone:
            continue
        if not isinstance(made, Object) or not sampler.api.name.endswith(".DistributedSampler"):
            continue
        data = made.argument(0, "dataset")
        mine = [one for one in loaders if data is not None and _goes_through_all(walk, one, data)]
        loader = next((one for one in mine if multiplicity.agree(sampler.together, one.together)), None)
        if loader is not None and not any(_uses(event, made) for event in walk.events if event is not sampler):
            yield sampler, loader


def _goes_through_all(walk: Walk, loader: Event, data: Value) -> bool:
    """Whether it is a loader of this data set that gives all of it to whoever goes through it, and stays that."""
    made = loader.result
    if not isinstance(made, Object) or not made.name.startswith("torch.") or made.argument(0, "dataset") != data:
        return False
    if "*" in loader.kwargs or "**" in loader.kwargs or loader.ranks != loader.everyone:
        return False
    given = [made.argument(3, "sampler"), made.argument(4, "batch_sampler"), made.argument(10, "worker_init_fn")]
    if not all(one is None or one == Const(None) or _is_plain(one) for one in given):
        return False
    takers = [event for event in walk.events if event.effect in ("loader", "construct") and event is not loader]
    return not any(_uses(event, made) for event in takers)


def _is_plain(sampler: Value) -> bool:
    return isinstance(sampler, Object) and sampler.name.startswith("torch.") and sampler.name.endswith(_PLAIN)


def _uses(event: Event, made: Object) -> bool:
    """Whether a call is given an object, or something made with it; a new epoch is no use."""
    if event.effect == "set_epoch":
        return False
    given = [*event.args, *event.kwargs.values(), *(one for one in (event.receiver, event.result) if one is not None)]
    return any(_holds(value, made) for value in given)


def _holds(value: Value, made: Object, depth: int = 8) -> bool:
    if value == made or depth == 0:
        return True
    if isinstance(value, Object):
        parts = [*value.args, *(part for _, part in value.kwargs)]
    elif isinstance(value, Either):
        parts = [value.yes, value.no]
    elif isinstance(value, PerRank):
        parts = list(value.values)
    else:
        parts = list(value.items) if isinstance(value, Tuple) else []
    return any(_holds(part, made, depth - 1) for part in parts)
