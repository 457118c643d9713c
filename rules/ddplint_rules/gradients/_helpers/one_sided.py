"""What some ranks change of a model or an optimizer with which every rank goes on to train."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import (
    Bound,
    Const,
    Effect,
    Either,
    Event,
    External,
    Instance,
    Object,
    Reason,
    Symbol,
    Unknown,
    Value,
    Varying,
    Walk,
    Wrapped,
)
from ddplint.rule.code import descend
from ddplint.rule.knowledge import is_optimizer
from ddplint_rules.gradients._helpers.averages import is_module, says_something
from ddplint_rules.gradients._helpers.passes import is_ddp, is_fully_sharded

_GROUPS = ".param_groups"
_DRAWS = ("torch.nn.init.", "torch.Tensor.")
_REPAIRS = ("broadcast", "all_gather", "all_reduce", "scatter", "gather")
"""What shares a change with the other ranks, or brings what they have together again."""

_TAKES_THEM = frozenset({"sync_module_states", "param_init_fn", "**"})
"""Arguments by which a wrapper gets the weights of the first rank, or makes them."""


@dataclass(frozen=True, eq=False)
class OneSided:
    """``change`` is what some ranks do, ``used`` what every rank does with it afterwards.

    ``kind``: ``rate`` (the learning rate), ``step`` (the weights themselves), ``mode`` (training or evaluation),
    ``weights`` or ``state`` (of the model, or of its optimizer, as it was kept), ``drawn`` (weights, anew), ``own``
    (every rank gives its scheduler a number of its own), or ``unshared`` (weights, before the model is sharded).
    """

    kind: str
    change: Event
    used: Event


def changes(walk: Walk) -> Iterator[OneSided]:
    """What only some ranks change and all then train with, in a program that averages the gradients of all."""
    passes = walk.doing(Effect.BACKWARD)
    replicas = {_root(event.details["wrapped"]) for event in passes if is_ddp(event)} | _prepared(walk)
    trained = replicas | {_root(event.details["wrapped"]) for event in passes if is_fully_sharded(event)}
    for change in walk.events if trained and not walk.cut else ():
        kind, key = changed(change)
        if not kind or not _is_of(change, kind, replicas if kind in ("mode", "weights") else trained):
            continue
        if kind in ("mode", "weights") and _may_be_of_a_copy(walk, change):
            continue
        if kind == "weights" and _is_put_back(walk, change, key):
            continue
        if change.by_some:
            used = _used_by_all(walk, change, kind, key)
        elif _goes_by_own_number(change):
            kind, used = "own", _used_next(walk, change, "rate", key)
        else:
            continue
        if used is not None:
            yield OneSided("drawn" if change.name.startswith(_DRAWS) else kind, change, used)


def _prepared(walk: Walk) -> set[object]:
    """The models that ``accelerator.prepare`` gave back and that ``accelerator.backward`` trains."""
    if not any(map(_is_of_accelerate, walk.doing(Effect.COLLECTIVE))):
        return set()
    passes = (event.model_behind("prepare") for event in walk.doing(Effect.FORWARD) if not event.details["no_grad"])
    return {_root(model) for model in passes if model is not None and not model.split}


def _is_of_accelerate(event: Event) -> bool:
    return event.effect == Effect.COLLECTIVE and event.name.endswith("Accelerator.backward")


def _is_of(change: Event, kind: str, trained: set[object]) -> bool:
    """Whether a change is about a model that is trained by all: for an optimizer, by what it was given."""
    if kind in ("mode", "weights"):
        return _root(change.receiver) in trained
    optimizer = _optimizer(change)
    return optimizer is not None and any(_root(one) in trained for one in _within(optimizer))


def _may_be_of_a_copy(walk: Walk, change: Event) -> bool:
    """Whether a model, or what may be a part of one, was copied before: the copy is not trained, and stands for it."""
    copied = (event.args[0] for event in walk.doing(Effect.COPIED) if event.order < change.order)
    return any(not isinstance(one, Instance) or is_module(one) for one in copied)


def _is_put_back(walk: Walk, change: Event, key: object) -> bool:
    """Whether a model gets weights for a while: behind it, or here, it gets what it had itself."""
    loads = (one for one in walk.events if one.order >= change.order and changed(one) == ("weights", key))
    return any(one.details.get("parts") or any(_is_handed(value, key) for value in one.args) for one in loads)


def changed(event: Event) -> tuple[str, object]:
    """What an event changes, and of which model or optimizer."""
    if event.effect == Effect.MODE and event.args[0] in (Const(False), Const(True)):
        return "mode", _root(event.receiver)
    optimizer = _optimizer(event)
    if event.effect == Effect.NEW_STATE and optimizer is None:
        return "weights", _root(event.receiver)
    if optimizer is None:
        return "", None
    if event.effect == Effect.NEW_STATE:
        return "state", optimizer.id
    return "step" if event.effect == Effect.OPTIMIZER_STEP else "rate", optimizer.id


def _optimizer(event: Event) -> Object | None:
    """The optimizer that steps, or of which a scheduler or a loop over its groups sets the rate."""
    receiver: Value | None = event.receiver
    if event.effect == Effect.RATE_STEP and isinstance(receiver, Object):
        receiver = receiver.argument(0, "optimizer")
    elif event.effect == Effect.ITERATE and isinstance(receiver, Bound) and _sets_rate(event, receiver):
        receiver = receiver.receiver
    elif event.effect == Effect.NEW_STATE:
        return receiver if isinstance(receiver, Object) and is_optimizer(receiver.name) else None
    elif event.effect != Effect.OPTIMIZER_STEP or event.details["optimizer"] is not receiver:
        return None
    return receiver if isinstance(receiver, Object) else None


def _root(model: Value | None) -> object:
    """The module behind all wrappers."""
    while isinstance(model, Wrapped):
        model = model.inner
    return model.id if isinstance(model, (Instance, Object)) else None


def _within(value: object, depth: int = 6) -> Iterator[Value]:
    """A value, and those that it was made of: the model behind ``model.parameters()``."""
    if isinstance(value, Value):
        yield value
    parts: tuple[object, ...] = ()
    if isinstance(value, Unknown):
        parts = (value.symbol,)
    elif isinstance(value, Symbol):
        parts = value.parts
    elif isinstance(value, Object):
        parts = (*value.args[:1], value.argument(0, "params"))
    for part in parts if depth else ():
        yield from _within(part, depth - 1)


def _sets_rate(event: Event, receiver: Bound) -> bool:
    """Whether a loop over the groups of an optimizer sets their learning rate."""
    loop = event.details.get("loop")
    loop = getattr(loop, "node", loop)
    if not isinstance(loop, cst.For) or not isinstance(loop.target, cst.Name):
        return False
    if not isinstance(receiver.function, External) or not receiver.function.name.endswith(_GROUPS):
        return False
    return any(_is_rate(target, loop.target.value) for node in descend(loop.body) for target in _targets(node))


def _targets(node: cst.CSTNode) -> list[cst.BaseExpression]:
    if isinstance(node, cst.Assign):
        return [one.target for one in node.targets]
    return [node.target] if isinstance(node, cst.AugAssign) else []


def _is_rate(target: cst.BaseExpression, group: str) -> bool:
    if not isinstance(target, cst.Subscript) or not isinstance(target.value, cst.Name) or target.value.value != group:
        return False
    index = target.slice[0].slice
    return isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString) and "lr" in index.value.value


def _used_by_all(walk: Walk, change: Event, kind: str, key: object) -> Event | None:
    """What every rank next does with what was changed; None where the others change it, too, or hear of it before."""
    same = [event for event in walk.events if changed(event) == (kind, key)]
    if kind == "mode" and change.args[0] in _modes_of_others(same, change):
        return None
    if any(not event.ranks & change.ranks and event.agrees_with(change) for event in same):
        return None  # in the other arm
    for event in walk.events:
        if event.order <= change.order:
            continue
        if event in same and (not event.ranks <= change.ranks or (kind == "mode" and event.args != change.args)):
            return None
        if event.effect == Effect.COLLECTIVE and event.label.startswith(_REPAIRS) and says_something(event):
            return None
        if event.effect == Effect.CONSTRUCT and kind == "weights":
            return None  # what is wrapped now gets the weights of the first rank
        if event.effect == Effect.OPAQUE and any(_is_handed(value, key) for value in event.args):
            return None
        if event.by_all and _uses(event, kind, key):
            return event
    return None


def _used_next(walk: Walk, change: Event, kind: str, key: object) -> Event | None:
    return next((event for event in walk.events if event.order > change.order and _uses(event, kind, key)), None)


def _goes_by_own_number(change: Event) -> bool:
    """Whether a scheduler goes by a number that each rank has worked out of its own share of the data."""
    if change.effect != Effect.RATE_STEP or not change.by_all:
        return False
    metric = change.args[0] if change.args else change.kwargs.get("metrics")
    return change.name.endswith("ReduceLROnPlateau.step") and metric is not None and _is_share(metric)


def _is_share(value: Value) -> bool:
    """Whether it comes of the data of a rank, on one path at least."""
    if isinstance(value, Either):
        return _is_share(value.yes) or _is_share(value.no)
    return isinstance(value, Varying) and value.reason is Reason.DATA


def _is_handed(value: Value, key: object) -> bool:
    """Whether what nobody could follow is given the model or the optimizer."""
    return any(_root(one) == key for one in _within(value))


def _modes_of_others(modes: list[Event], change: Event) -> Iterator[Value]:
    """In which modes the other ranks may have the model: as it was made, unless they have surely set another."""
    others = change.everyone - change.ranks
    before = [event for event in modes if event.order < change.order and event.ranks & others]
    for event in reversed(before):
        if event.agrees_with(change):
            yield event.args[0]
            if event.path.items() <= change.path.items():
                return
    yield Const(True)


def _uses(event: Event, kind: str, key: object) -> bool:
    if kind in ("rate", "state"):
        return event.effect == Effect.OPTIMIZER_STEP and isinstance(event.receiver, Object) and event.receiver.id == key
    if _is_of_accelerate(event):
        return True
    if event.effect != Effect.BACKWARD or not (is_ddp(event) or is_fully_sharded(event)):
        return False
    return kind == "step" or _root(event.details.get("wrapped")) == key


def unshared_weights(walk: Walk) -> Iterator[OneSided]:
    """What only some ranks load into a model that is sharded afterwards, each rank's shard out of its own weights."""
    wrapped = [event for event in walk.doing(Effect.CONSTRUCT) if _cuts_up(event)]
    for change in walk.doing(Effect.NEW_STATE) if wrapped and not walk.cut else ():
        kind, key = changed(change)
        if kind != "weights" or not change.by_some or key is None or _may_be_of_a_copy(walk, change):
            continue
        made = next((event for event in wrapped if event.order > change.order and _wraps_it(event, key)), None)
        if made is None or not made.agrees_with(change):
            continue
        used = next((event for event in walk.doing(Effect.BACKWARD) if _trains_shards(event, made, key)), None)
        if used is not None and not _is_mended(walk, change, used, key):
            yield OneSided("unshared", change, used)


def _cuts_up(event: Event) -> bool:
    """Whether it surely makes shards of what each rank has in its own weights."""
    if not event.by_all or event.api is None or event.api.framework != "torch":
        return False
    if event.makes("fully_shard"):
        return True
    given = (name for name, value in event.kwargs.items() if value not in (Const(False), Const(None)))
    return event.makes("fsdp") and _TAKES_THEM.isdisjoint(given) and len(event.args) <= 1


def _wraps_it(made: Event, key: object) -> bool:
    return _root(made.argument("module", 0)) == key


def _trains_shards(event: Event, made: Event, key: object) -> bool:
    model = event.model_behind("fsdp", "fully_shard")
    return model is not None and event.by_all and event.order > made.order and _root(model) == key


def _is_mended(walk: Walk, change: Event, used: Event, key: object) -> bool:
    """Whether the other ranks load them, too, or hear of them, or whoever nobody followed was given the model."""
    for event in walk.events:
        if changed(event) == ("weights", key) and not event.ranks <= change.ranks:
            return True
        if not change.order < event.order < used.order:
            continue
        if event.effect == Effect.COLLECTIVE and event.label.startswith(_REPAIRS) and says_something(event):
            return True
        takes = event.effect in (Effect.OPAQUE, Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS)
        if takes and any(_is_handed(value, key) for value in (*event.args, *event.kwargs.values())):
            return True
    return False
