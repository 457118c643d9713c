"""What goes by the gradients that lie on a rank, where the model keeps only a part of them there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Object, Symbol, Unknown, Varying, Walk, Wrapped, terms
from ddplint.rule.knowledge import load_knowledge
from ddplint_rules.sharding._helpers.parameters import flat, models


@dataclass(frozen=True, eq=False)
class OwnShard:
    """``event`` looks at the gradients of ``model`` that its rank has; ``kind``: ``clip``, or ``scale`` of a scaler.

    ``early`` is a clip of gradients that the program itself sums up over the ranks, at ``later``: no wrapper does.
    """

    kind: str
    event: Event
    model: Wrapped | None = None
    later: Event | None = None


def own_shards(walk: Walk) -> Iterator[OwnShard]:
    """Helpers that know nothing of shards, where all ranks call them together."""
    for event in walk.doing(Effect.CLIP, Effect.OPTIMIZER_STEP):
        kind, given = _looks_at(event)
        model = next(flat(given), None) if kind and event.by_all else None
        if model is not None and walk.run_together(event):
            yield OwnShard(kind, event, model)


def before_sums(walk: Walk) -> Iterator[OwnShard]:
    """Gradients of its own that each rank clips, and that are summed up over the ranks behind it, before the step."""
    reported: set[int] = set()
    own: Event | None = None
    clip: Event | None = None
    for event in walk.events:
        if event.effect == Effect.BACKWARD:
            own, clip = (event if event.details["wrapped"] is None else None), None
        elif event.effect == Effect.OPTIMIZER_STEP:
            own = clip = None
        elif event.effect == Effect.COLLECTIVE and _sums_gradients(event):
            if clip is not None and id(clip.node) not in reported and walk.run_together(event):
                reported.add(id(clip.node))
                yield OwnShard("early", clip, later=event)
            own = clip = None
        elif event.effect == Effect.CLIP and own is not None and event.by_all and not _is_wrapped(event):
            clip = event


def _is_wrapped(event: Event) -> bool:
    """Whether it may be the parameters of a model behind a wrapper, which sums up gradients by itself."""
    given = list(models(event.argument("parameters", 0)))
    return not given or any(isinstance(one, Wrapped) for one in given)


def _sums_gradients(event: Event) -> bool:
    """Whether all ranks sum up the gradient of a parameter."""
    given = event.argument("tensor", 0)
    what = given.symbol.whole if isinstance(given, (Unknown, Varying)) else None
    is_data = isinstance(what, terms.Attr) and what.last == "data" and isinstance(what.base, Symbol)
    what = what.base.whole if is_data and isinstance(what, terms.Attr) and isinstance(what.base, Symbol) else what
    is_gradient = isinstance(what, terms.Attr) and what.last == "grad"
    return is_gradient and "reduce" in event.name and not event.group and event.by_all


def _looks_at(event: Event) -> tuple[str, object]:
    """What an event does with gradients, and of what."""
    if event.effect == Effect.CLIP:
        return "clip", event.argument("parameters", 0)
    scaler, optimizer = event.receiver, event.argument("optimizer", 0)
    if not isinstance(scaler, Object) or not isinstance(optimizer, Object):
        return "", None
    if scaler.name not in load_knowledge().quiet("scalers"):
        return "", None
    enabled = dict(scaler.kwargs).get("enabled", Const(True))
    return ("scale", optimizer.argument(0, "params")) if enabled == Const(True) else ("", None)
