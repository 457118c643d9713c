"""What the rules about data share: which loops run over a distributed sampler, and which of them train."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, Either, Object, Value
from ddplint.analysis.facts.calls import name_words
from ddplint.analysis.trace.events import Event, LoopFrame, Walk

SAMPLER = "torch.utils.data.distributed.DistributedSampler"
_AROUND = frozenset(
    {"enumerate", "zip", "tqdm", "islice", "iter", "cycle", "chain", "reversed", "track", "progress_bar"}
)


_LOADERS = frozenset({"DataLoader", "StatefulDataLoader"})


@dataclass(frozen=True, eq=False)
class Drawing:
    """A loop over data (``loop`` ``None``: a call of ``iter``)."""

    event: Event
    loop: LoopFrame | None


@dataclass(frozen=True, eq=False)
class Pass(Drawing):
    """A loop over the data of a distributed sampler.

    ``path`` leads from the loader to the sampler (``("sampler",)``). ``certain`` is false where the loader has this
    sampler on some runs only.
    """

    loader: Object
    sampler: Object
    path: tuple[str, ...] = ()
    certain: bool = True


def passes(walk: Walk) -> Iterator[Pass]:
    """The loops of a walk that run over a distributed sampler of torch, directly or through a loader."""
    for event in walk.doing(Effect.ITERATE):
        if event.receiver is not None:
            loop = event.details["loop"]
            for loader in around(event.receiver):
                for sampler, path, certain in sampler_of(loader):
                    yield Pass(event, loop, loader, sampler, path, certain)


def around(value: Value | None) -> Iterator[Object]:
    """What is behind ``enumerate``, ``zip``, ``tqdm`` and their like."""
    if isinstance(value, Either):
        yield from around(value.yes)
        yield from around(value.no)
    elif isinstance(value, Object):
        if value.name.rpartition(".")[2] in _AROUND:
            for arg in (*value.args, *(given for name, given in value.kwargs if name == "iterable")):
                yield from around(arg)
        else:
            yield value


def is_loader(value: Object) -> bool:
    """Whether it is a loader of torch."""
    return value.name.rpartition(".")[2] in _LOADERS


def sampler_of(loader: Object) -> Iterator[tuple[Object, tuple[str, ...], bool]]:
    """The distributed samplers of a loader, how they are reached, and whether it is always this one."""
    if loader.name == SAMPLER:
        yield loader, (), True
    elif is_loader(loader):
        for position, name in ((3, "sampler"), (4, "batch_sampler")):
            for found, certain in _alternatives(loader.argument(position, name)):
                if found.name == SAMPLER:
                    yield found, (name,), certain
                elif found.name.endswith("BatchSampler"):
                    for inner, sure in _alternatives(found.argument(0, "sampler")):
                        if inner.name == SAMPLER:
                            yield inner, (name, "sampler"), certain and sure


def _alternatives(value: Value | None) -> list[tuple[Object, bool]]:
    if isinstance(value, Either):
        return [(found, False) for side in (value.yes, value.no) for found, _ in _alternatives(side)]
    return [(value, True)] if isinstance(value, Object) else []


def trains(walk: Walk, found: Drawing) -> bool:
    """Whether a gradient is computed inside the loop (or around a call of ``iter``), or its data is called so."""
    loop = found.loop if found.loop is not None else next(reversed(found.event.loops), None)
    if any(event.effect in (Effect.BACKWARD, Effect.STEP) and loop in event.loops for event in walk.events):
        return True
    words = name_words(found.event.node)
    return bool(words & {"train", "training", "trainloader"}) and not words & {"eval", "val", "test"}


def shuffles(sampler: Object) -> bool | None:
    """Whether a sampler shuffles; ``None`` where that is not known."""
    given = sampler.argument(3, "shuffle")
    return True if given is None else bool(given.value) if isinstance(given, Const) else None


def made_by(walks: Sequence[Walk], made: Value, effect: Effect = Effect.SAMPLER) -> Event | None:
    """The construction of a sampler, or of something else."""
    return next((event for walk in walks for event in walk.doing(effect) if event.result == made), None)
