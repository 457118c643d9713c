"""Samplers and loaders that are made and not used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Either, Event, LoopFrame, Object, PerRank, Tuple, Value, Walk
from ddplint.rule.facts import SAMPLER, around, name_words, passes, shuffles, uniformity
from ddplint.rule.knowledge import load_knowledge

_PLAIN = ("RandomSampler", "SequentialSampler")


def idle(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Samplers that nothing uses, each with a loader of the same data set that no sampler distributes.

    Or that nothing uses where an option chooses another loader, which draws from all of the data.
    """
    loaders = [event for event in walk.doing(Effect.LOADER) if isinstance(event.result, Object)]
    for sampler in walk.events:
        made = sampler.result
        if sampler.effect != Effect.SAMPLER or sampler.api is None or not sampler.by_all:
            continue
        if not isinstance(made, Object) or not sampler.api.name.endswith(".DistributedSampler"):
            continue
        data = made.argument(0, "dataset")
        mine = [one for one in loaders if data is not None and _goes_through_all(walk, one, data)]
        beside = [one for one in mine if uniformity.agree(sampler.together, one.together)]
        uses = [event for event in walk.events if event is not sampler and _uses(event, made)] if beside else []
        loader = next((one for one in beside if not uses or _is_drawn_instead(one, uses)), None)
        if loader is not None:
            yield sampler, loader


def _is_drawn_instead(loader: Event, uses: Sequence[Event]) -> bool:
    """Whether a loader draws from all of the data, in runs that do without what uses the sampler."""
    made = loader.result
    assert isinstance(made, Object)
    sampler = made.argument(3, "sampler")
    drawn = isinstance(sampler, Object) and sampler.name.endswith("." + _PLAIN[0])
    drawn = drawn or made.argument(2, "shuffle") == Const(True)
    return drawn and not any(uniformity.agree(loader.path, event.path) for event in uses)


def _goes_through_all(walk: Walk, loader: Event, data: Value) -> bool:
    """Whether it is a loader of this data set that gives all of it to whoever goes through it, and stays that."""
    made = loader.result
    if not isinstance(made, Object) or not made.name.startswith("torch.") or made.argument(0, "dataset") != data:
        return False
    if "*" in loader.kwargs or "**" in loader.kwargs or not loader.by_all:
        return False
    given = [made.argument(3, "sampler"), made.argument(4, "batch_sampler"), made.argument(10, "worker_init_fn")]
    if not all(one is None or one == Const(None) or _is_plain(one) for one in given):
        return False
    takers = [event for event in walk.doing(Effect.LOADER, Effect.CONSTRUCT) if event is not loader]
    return not any(_uses(event, made) for event in takers)


def _is_plain(sampler: Value) -> bool:
    return isinstance(sampler, Object) and sampler.name.startswith("torch.") and sampler.name.endswith(_PLAIN)


def _uses(event: Event, made: Object) -> bool:
    """Whether a call is given an object, or something made with it; a new epoch is no use."""
    if event.effect == Effect.SET_EPOCH:
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


_LOADS = frozenset({"batches", "dataloader", "dataloaders", "loader", "loaders", "trainloader"})

_TRIALS = frozenset({"dev", "eval", "evaluation", "test", "val", "valid", "validation"})

_PACKAGES = "|".join(sorted(load_knowledge().quiet("tells_samplers")))
_TELLS = re.compile(rf"set_epoch|^[ \t]*(?:from|import)[ \t]+(?:{_PACKAGES})\b", re.MULTILINE)
"""How a program tells a sampler the epoch, or what may do so for it."""


@dataclass(frozen=True, eq=False)
class Lost:
    """``made``: the construction of the sampler; ``epochs``: the loop that trains on its data again and again."""

    made: Event
    epochs: LoopFrame


def lost(walks: Sequence[Walk]) -> Iterator[Lost]:
    """The samplers of training that never learn the epoch, though it is not seen where their loaders go."""
    seen = {found.sampler.site for walk in walks for found in passes(walk)}
    for walk in walks:
        made = _only_sampler(walk)
        if made is None or not isinstance(made.result, Object) or made.result.site in seen:
            continue
        epochs = _epochs(walk, made)
        if epochs is not None and not _is_told(walk):
            yield Lost(made, epochs)


def _only_sampler(walk: Walk) -> Event | None:
    """The sampler of a walk, if only one is made that distributes among the ranks and may shuffle."""
    found = {
        id(event.node): event
        for event in walk.doing(Effect.SAMPLER)
        if event.name == SAMPLER
        and event.by_all
        and not (isinstance(event.result, Object) and shuffles(event.result) is False)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _epochs(walk: Walk, made: Event) -> LoopFrame | None:
    """The loop over epochs in which a walk trains on batches of unknown making, later than the sampler was made."""
    begins = ((event.details["loop"], event) for event in walk.events if _begins_loop(event))
    begun = {id(loop.node): event for loop, event in begins if loop is not None}
    for event in walk.doing(Effect.BACKWARD):
        if event.order < made.order:
            continue
        loops = [loop for loop in event.loops if id(loop.node) in begun]
        batches = begun[id(loops[-1].node)] if loops else None
        if batches is None or list(around(batches.receiver)) or name_words(batches.node) & _TRIALS:
            continue
        around_it = [loop for loop in batches.loops if loop not in made.loops and _counts_epochs(loop)]
        if around_it:
            return around_it[-1]
    return None


def _begins_loop(event: Event) -> bool:
    """Whether it is the beginning of a loop over what is called a loader."""
    return (
        event.effect == Effect.ITERATE and event.details["loop"] is not None and bool(name_words(event.node) & _LOADS)
    )


def _counts_epochs(loop: LoopFrame) -> bool:
    return isinstance(loop.node, cst.For) and bool(name_words(loop.node.target) & {"epoch", "epochs", "ep"})


def _is_told(walk: Walk) -> bool:
    """Whether somebody may tell the sampler, or the walk has not seen all of the program."""
    if walk.limits or walk.doing(Effect.SET_EPOCH):
        return True
    files = {id(step.file): step.file for event in walk.events for step in event.stack}
    return any(_TELLS.search(file.text) is not None for file in files.values())
