"""Whether a loop trains a model that all ranks have together, or each rank keeps what comes of it."""

from __future__ import annotations

import re

from ddplint.rule import Const, Effect, Event, LoopFrame, Object, PerRank, Reason, Walk, Wrapped
from ddplint.rule.code import words_of
from ddplint.rule.facts import BACKWARD

_SPLITS = re.compile(r"DeviceMesh|device_mesh|parallelize_module|(?:tensor|sequence|context|pipeline)_parallel|ulysses")
"""How a program says that several ranks hold parts of one model, or of one batch."""

_SOME_ALIKE = frozenset({"device_mesh", "mesh", "mesh_param", "mpu", "training_data"})
"""With these an engine is given which ranks hold parts of one model, and want the same batch, or makes the loader."""


def trains_wrapped(walk: Walk, loop: LoopFrame) -> bool:
    """Whether all ranks train a wrapped model in a loop, each on what the loop gives."""
    if _trains_prepared(walk, loop):
        return True
    for event in walk.doing(Effect.BACKWARD):
        if loop not in event.loops or not event.by_all:
            continue
        model = event.details.get("wrapped")
        parted = any(guard.reason is Reason.IDENTITY and guard.origins for guard in event.guards)
        if isinstance(model, Wrapped) and _shares_nothing_out(walk, model) and not parted:
            return True
    return False


def _trains_prepared(walk: Walk, loop: LoopFrame) -> bool:
    """Whether ``accelerator.backward`` trains, in a loop, a model that ``prepare`` gave back."""
    within = [event for event in walk.events if loop in event.loops and event.by_all]
    models = (event.model_behind("prepare") for event in within if event.effect == Effect.FORWARD)
    trained = any(model is not None and not model.split for model in models)
    return (trained and any(event.name == BACKWARD for event in within)) or any(map(_is_by_fabric, within))


_OF_REPLICAS = ("auto", "ddp", "fsdp")
"""Strategies of Fabric whose ranks each want samples of their own: beginnings."""


def _is_by_fabric(event: Event) -> bool:
    """Whether Fabric trains a model, of which each rank has the whole, or a part only to keep."""
    fabric = event.receiver
    if not event.name.endswith("Fabric.backward") or not isinstance(fabric, Object):
        return False
    strategy, devices = fabric.argument(1, "strategy") or Const("auto"), fabric.argument(2, "devices")
    named = isinstance(strategy, Const) and str(strategy.value).startswith(_OF_REPLICAS)
    return named and devices != Const(1)


def _shares_nothing_out(walk: Walk, model: Wrapped) -> bool:
    """Whether a wrapper trains all ranks on what they are given, each on something else."""
    if model.api.wraps in ("ddp", "fsdp"):
        return True
    if model.api.wraps not in ("fully_shard", "deepspeed") or any(map(_SPLITS.search, words_of(walk.file))):
        return False
    return not any(name in _SOME_ALIKE and value != Const(None) for name, value in model.kwargs)


def kept_apart(walk: Walk, loop: LoopFrame) -> Event | None:
    """Where all ranks, in a loop that each goes through whole, write what comes of it, each to a file of its own."""
    for event in walk.doing(Effect.WRITE):
        if loop not in event.loops or not event.by_all:
            continue
        parted = any(guard.reason is Reason.IDENTITY for guard in event.guards)
        if isinstance(event.target, PerRank) and not parted and walk.run_together(event):
            return event
    return None
