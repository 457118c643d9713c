"""Samplers that give every rank its own share, though several ranks hold parts of one model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Group, PerRank, Value, Walk
from ddplint.rule.facts import agree, made_by, passes, trains

_PARTS = ".parallelize_module"
_BRINGS = ("broadcast", "scatter")
"""What may give the ranks that hold one model the same batch afterwards."""


@dataclass(frozen=True, eq=False)
class HeldTogether:
    """``sampler`` gives each rank its own share; ``parted`` gives several of them parts of one model."""

    sampler: Event
    parted: Event


def held_together(walk: Walk) -> Iterator[HeldTogether]:
    """Shares of all ranks that a model is trained on whose layers lie on several of them."""
    parted = [event for event in walk.doing(Effect.CONSTRUCT) if event.name.endswith(_PARTS) and _is_shared(event)]
    if not parted or walk.cut or any(event.label.startswith(_BRINGS) for event in walk.doing(Effect.COLLECTIVE)):
        return
    reported: set[object] = set()
    for found in passes(walk):
        sampler = found.sampler
        if (
            sampler.site in reported
            or found.loop is None
            or not found.certain
            or not found.event.by_all
            or not trains(walk, found)
        ):
            continue
        made = made_by([walk], sampler)
        size = sampler.argument(1, "num_replicas")
        if made is None or size not in (None, Const(None), Const(len(made.everyone))):
            continue
        split = next((event for event in parted if agree(event.path, found.event.path)), None)
        if split is not None:
            reported.add(sampler.site)
            yield HeldTogether(made, split)


def _is_shared(event: Event) -> bool:
    """Whether several ranks certainly hold the layers together: the group along which they are split is known."""
    groups = _groups(event)
    return bool(groups) and all(group.members is not None and bin(group.members).count("1") > 1 for group in groups)


def _groups(event: Event) -> list[Group]:
    mesh = event.argument("device_mesh", 1)
    each: tuple[Value | None, ...] = mesh.values if isinstance(mesh, PerRank) else (mesh,)
    return [group for group in each if isinstance(group, Group)] if all(isinstance(one, Group) for one in each) else []
