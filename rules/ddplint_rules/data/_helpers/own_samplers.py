"""Samplers and data sets of the project that wait for an epoch, and never get one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.rule import Because, Effect, Event, LoopFrame, Note, Place, Walk
from ddplint.rule.facts import Drawing, made_by, own_samplers, shuffles_itself, trains, waits_for
from ddplint_rules.data._helpers.epochs import epochs_of, head, on_the_way

_TELLS = "set_epoch"


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
