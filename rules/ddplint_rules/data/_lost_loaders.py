"""Distributed samplers whose loader a walk loses from sight, in a program that nowhere tells a sampler the epoch.

``loaders = {name: loader_of(part) for name, part in parts.items()}`` may hold anything. But where one sampler shuffles
and the program then trains in a loop over epochs, on batches that come from no loader that is known, it is that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Event, LoopFrame, Object, Walk
from ddplint_rules.common.groups import name_words
from ddplint_rules.common.passes import SAMPLER, around, passes, shuffles

__all__ = ["Lost", "lost"]

_LOADS = frozenset({"batches", "dataloader", "dataloaders", "loader", "loaders", "trainloader"})
_TRIALS = frozenset({"dev", "eval", "evaluation", "test", "val", "valid", "validation"})
_TELLS = re.compile(
    r"set_epoch|^[ \t]*(?:from|import)[ \t]+(?:accelerate|composer|lightning|pytorch_lightning)\b", re.MULTILINE
)
"""How a program tells a sampler the epoch, or what may do so for it."""


@dataclass(frozen=True, eq=False)
class Lost:
    """``made``: the construction of the sampler; ``epochs``: the loop that trains on its data again and again."""

    made: Event
    epochs: LoopFrame


def lost(walks: Sequence[Walk]) -> Iterator[Lost]:
    """The samplers of training that never learn the epoch, though it is not seen where their loaders go."""
    seen = {found.sampler.site for walk in walks for found in passes(walk)}
    told: set[object] = set()
    for walk in walks:
        made = _only_sampler(walk)
        if made is None or not isinstance(made.result, Object) or made.result.site in seen | told:
            continue
        epochs = _epochs(walk, made)
        if epochs is not None and not _is_told(walk):
            told.add(made.result.site)
            yield Lost(made, epochs)


def _only_sampler(walk: Walk) -> Event | None:
    """The sampler of a walk, if only one is made that shares out among the ranks and may shuffle."""
    found = {
        id(event.node): event
        for event in walk.events
        if event.effect == "sampler"
        and event.name == SAMPLER
        and event.ranks == event.everyone
        and not (isinstance(event.result, Object) and shuffles(event.result) is False)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _epochs(walk: Walk, made: Event) -> LoopFrame | None:
    """The loop over epochs in which a walk trains on batches of unknown making, later than the sampler was made."""
    begun = {id(event.details["loop"].node): event for event in walk.events if _begins_loop(event)}
    for event in walk.events:
        if event.effect != "backward" or event.order < made.order:
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
    return event.effect == "iterate" and event.details["loop"] is not None and bool(name_words(event.node) & _LOADS)


def _counts_epochs(loop: LoopFrame) -> bool:
    return isinstance(loop.node, cst.For) and bool(name_words(loop.node.target) & {"epoch", "epochs", "ep"})


def _is_told(walk: Walk) -> bool:
    """Whether somebody may tell the sampler, or the walk has not seen all of the program."""
    if walk.limits or any(event.effect == "set_epoch" for event in walk.events):
        return True
    files = {id(step.file): step.file for event in walk.events for step in event.stack}
    return any(_TELLS.search(file.text) is not None for file in files.values())
