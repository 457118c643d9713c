"""What goes by the gradients that lie on a rank, where the model keeps only a part of them there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Object, Walk, Wrapped
from ddplint_rules.sharding._helpers.parameters import flat

__all__ = ["OwnShard", "own_shards"]

_SCALERS = frozenset({"torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.cpu.amp.GradScaler"})


@dataclass(frozen=True, eq=False)
class OwnShard:
    """``event`` looks at the gradients of ``model`` that its rank has; ``kind``: ``clip``, or ``scale`` of a scaler."""

    kind: str
    event: Event
    model: Wrapped


def own_shards(walk: Walk) -> Iterator[OwnShard]:
    """Helpers that know nothing of shards, where all ranks call them together."""
    for event in walk.doing(Effect.CLIP, Effect.OPTIMIZER_STEP):
        kind, given = _looks_at(event)
        model = next(flat(given), None) if kind and event.by_all else None
        if model is not None and walk.run_together(event):
            yield OwnShard(kind, event, model)


def _looks_at(event: Event) -> tuple[str, object]:
    """What an event does with gradients, and of what."""
    if event.effect == Effect.CLIP:
        return "clip", event.argument("parameters", 0)
    scaler, optimizer = event.receiver, event.argument("optimizer", 0)
    if not isinstance(scaler, Object) or scaler.name not in _SCALERS or not isinstance(optimizer, Object):
        return "", None
    enabled = dict(scaler.kwargs).get("enabled", Const(True))
    return ("scale", optimizer.argument(0, "params")) if enabled == Const(True) else ("", None)
