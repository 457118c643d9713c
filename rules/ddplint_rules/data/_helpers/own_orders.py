"""Samplers of the project that draw an order on each rank, behind a loader that ``prepare`` shares out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Instance, Reason, Varying, Walk
from ddplint.rule.facts import around
from ddplint.rule.knowledge import load_knowledge

_SHARED = "accelerate.data_loader.DataLoaderShard"
_PLAINLY = "rng_types"
"""What a prepared loader has where nothing says that rank 0 reads for all."""


@dataclass(frozen=True, eq=False)
class OwnOrder:
    """``draw``, in a sampler, gives each rank an order of its own; ``passed`` takes batches of it in turn."""

    draw: Event
    passed: Event


def own_orders(walk: Walk) -> Iterator[OwnOrder]:
    """The draws of samplers from which ranks take every so many-th batch each."""
    samplers = [
        (sampler, event)
        for event in walk.doing(Effect.ITERATE)
        for loader in around(event.receiver)
        if loader.name == _SHARED and loader.argument(-1, _PLAINLY) is not None
        for sampler in (loader.argument(3, "sampler"),)
        if isinstance(sampler, Instance)
    ]
    told: set[object] = set()
    for draw in walk.doing(Effect.LOCAL_VALUE) if samplers else ():
        passed = next((one for sampler, one in samplers if one.order < draw.order and _is_in(draw, sampler)), None)
        if passed is not None and draw.node not in told and _is_own(draw):
            told.add(draw.node)
            yield OwnOrder(draw, passed)


def _is_in(event: Event, sampler: Instance) -> bool:
    return event.file is sampler.cls.module.file and sampler.cls.node in event.file.ancestors(event.node)


def _is_own(draw: Event) -> bool:
    """Whether every rank draws an order, by a generator that it has seeded for itself, or not at all."""
    row = load_knowledge().value(draw.name)
    orders = row is not None and row.order
    return orders and draw.by_all and isinstance(draw.result, Varying) and draw.result.reason is Reason.RANDOM
