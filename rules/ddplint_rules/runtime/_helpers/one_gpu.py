"""Processes that are all bound to the same GPU, by a number that is written out."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Effect, Event, Walk
from ddplint.rule.facts import backend_of

_HIDING = "CUDA_VISIBLE_DEVICES"
"""With this each process may see one GPU only, and that is number 0."""


def bound_alike(walk: Walk) -> Iterator[tuple[Event, int]]:
    """Bindings to one number for all ranks of an NCCL group, and the number."""
    bound = walk.doing(Effect.BIND_DEVICE)
    for event in bound:
        given = event.args[0] if event.args else None
        if not isinstance(given, Const) or type(given.value) is not int or event.ranks != event.everyone:
            continue
        if not _meets_on_nccl(walk, event) or not walk.run_together(event) or _may_be_hidden(walk, event):
            continue
        if all(other.args[:1] == event.args[:1] or not other.agrees_with(event) for other in bound):
            yield event, given.value


def _meets_on_nccl(walk: Walk, event: Event) -> bool:
    """Whether a group of several processes is made in the same runs, whose processes each need a GPU."""
    return any(
        "nccl" in (backend_of(init) or "") and not _may_be_alone(init) and init.agrees_with(event)
        for init in walk.doing(Effect.INIT)
    )


def _may_be_alone(init: Event) -> bool:
    """Whether a group may be one of a single process: it says so, or what it is given is not seen."""
    return init.kwargs.get("world_size") == Const(1) or "**" in init.kwargs


def _may_be_hidden(walk: Walk, event: Event) -> bool:
    return any(_HIDING in file.text for file in (walk.file, *(frame.file for frame in event.stack)))
