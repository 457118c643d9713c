"""What goes by the gradients that lie on a rank, where the model keeps only a part of them there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Object, Symbol, Unknown, Value, Varying, Walk, Wrapped, terms
from ddplint.rule.code import last_part
from ddplint.rule.knowledge import is_optimizer, load_knowledge
from ddplint_rules.sharding._helpers.parameters import flat, models

_TEXTS = {
    "clip": "the norm is that of this rank's shard: each rank cuts its part of the gradients by another factor",
    "early": "the norm is that of this rank's own gradients, summed up later: each rank cuts by another factor",
    "moments": "this rank saves the optimizer's state of its own shard, as if it were all of it: the others' is lost",
    "saved": "this rank saves its own shard of each parameter, as if it were all of it: the others' are lost",
    "scale": "the scaler looks at this rank's shard only: one rank may skip a step that the others take",
}
_REMEDIES = {
    "clip": "call clip_grad_norm_ of the wrapped model, on all ranks",
    "early": "clip behind the sum over the ranks",
    "moments": "ask for it on all ranks: get_optimizer_state_dict, or FSDP.optim_state_dict(model, optimizer)",
    "saved": "put each tensor together on all ranks before: full_tensor()",
    "scale": "use torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler, which asks the other ranks",
}


_NOTES = {
    "early": "the gradients are summed up here",
    "moments": "the model is split here",
    "saved": "the model is split here",
}


@dataclass(frozen=True, eq=False)
class OwnShard:
    """``event`` looks at the gradients of ``model`` that its rank has; ``kind``: ``clip``, or ``scale`` of a scaler.

    ``early`` is a clip of gradients that the program itself sums up over the ranks, at ``later``: no wrapper does.
    ``saved`` is what one rank saves of a model that was split at ``later``.
    """

    kind: str
    event: Event
    model: Wrapped | None = None
    later: Event | None = None

    @property
    def text(self) -> str:
        """What is wrong."""
        return _TEXTS[self.kind]

    @property
    def remedy(self) -> str:
        """What to do by hand."""
        return _REMEDIES[self.kind]

    @property
    def note(self) -> str:
        """What happens at ``later``."""
        return _NOTES[self.kind]


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


def saved(walk: Walk) -> Iterator[OwnShard]:
    """What one rank saves of parameters that lie on all, each rank with a part: its own part, as if it were all."""
    split = [event for event in walk.doing(Effect.CONSTRUCT) if event.makes("fully_shard", "fsdp") and event.by_all]
    in_place = [event for event in split if event.makes("fully_shard")]
    names = load_knowledge().quiet("saves_models")
    for event in walk.doing(Effect.WRITE) if split else ():
        if event.name not in names or not event.by_some or len(event.ranks) != 1 or not walk.run_together(event):
            continue
        content = event.details.get("content", ())
        if in_place and in_place[0].order < event.order and any(map(_is_a_part, content)):
            yield OwnShard("saved", event, later=in_place[0])
        wrapped = next((one for value in content for one in _kept_for(value)), None)
        maker = next((one for one in split if wrapped is not None and one.node is _site(wrapped)), None)
        if maker is not None:
            yield OwnShard("moments", event, later=maker)


def _kept_for(value: Value) -> Iterator[Wrapped]:
    """The split models of which it is what their optimizer keeps on this rank: ``optimizer.state_dict()``."""
    what = value.symbol.whole if isinstance(value, (Unknown, Varying)) else None
    optimizer = what.receiver if isinstance(what, terms.Method) and what.name == "state_dict" else None
    if isinstance(optimizer, Object) and is_optimizer(optimizer.name):
        given = optimizer.argument(0, "params")
        yield from flat(given)
        yield from (one for one in models(given) if isinstance(one, Wrapped) and one.api.wraps == "fully_shard")


def _site(model: Wrapped) -> object:
    return getattr(model.site, "node", None)


def _is_a_part(value: Value) -> bool:
    """Whether it is a tensor, or made of tensors, of which a rank has its part: where that was asked for."""
    if not isinstance(value, Varying) or value.trail is None or value.symbol.holds_agreed:
        return False
    asked = (last_part(getattr(origin.node, "func", None)) for origin in value.trail.links())
    return not load_knowledge().quiet("own_shards").isdisjoint(asked)


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
