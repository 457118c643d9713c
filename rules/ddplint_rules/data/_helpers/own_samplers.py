"""Samplers and data sets of the project that wait for an epoch, and never get one; or that draw for their own rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.rule import Because, Effect, Event, Instance, LoopFrame, Note, Place, Reason, Varying, Walk
from ddplint.rule.facts import SHARD, Drawing, around, made_by, own_samplers, shuffles_itself, trains, waits_for
from ddplint.rule.knowledge import load_knowledge
from ddplint_rules.data._helpers.epochs import epochs_of, head, on_the_way

_TELLS = "set_epoch"
_PLAINLY = "rng_types"
"""What a prepared loader has where nothing says that rank 0 reads for all."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """``found`` draws again and again, by ``epochs``, from a sampler of the project that was ``made`` there.

    Of a data set, and of a sampler that is not known as one, that is where the loader was made.
    """

    found: Drawing
    made: Event
    epochs: LoopFrame
    because: Because

    @property
    def place(self) -> Place:
        """The loop over batches, or the call that leads to it, in the loop over epochs."""
        return Place.of(on_the_way(self.found, self.epochs)[0])

    @property
    def notes(self) -> tuple[Note, ...]:
        return (
            Note("origin", Place.of(self.made), "the order of what is made here comes of the epoch"),
            Note("related", head(self.epochs), "each round of this begins the data again"),
        )


def waiting(walks: Sequence[Walk]) -> Iterator[Waiting]:
    """Each place of a loop that trains, once for each sampler."""
    done: set[tuple[int, int]] = set()
    for walk, event in ((one, event) for one in walks for event in one.doing(Effect.ITERATE)):
        found = Drawing(event, event.details["loop"])
        for loader, sampler, certain in own_samplers(event.receiver):
            key = (id(event.node), sampler.cls.key)
            if key in done or walk.index is None or not certain or not trains(walk, found):
                continue
            own = made_by(walks, sampler)
            made = own or made_by(walks, loader, Effect.LOADER)
            epochs = epochs_of(found, made) if made is not None else None
            shuffles = shuffles_itself(own, sampler)
            if made is None or epochs is None or shuffles is False:
                continue
            if waits_for(walk.index, sampler, _TELLS):
                done.add(key)
                yield Waiting(found, made, epochs, Because.AS_WRITTEN if shuffles else Because.ARGUMENT)


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
        if loader.name == SHARD and loader.argument(-1, _PLAINLY) is not None
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
