"""Weights that some ranks have loaded before a model is cut into shards, of which no wrapper takes the others' part."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Effect, Event, Walk
from ddplint_rules.gradients._helpers.averages import says_something
from ddplint_rules.gradients._helpers.one_sided import REPAIRS, OneSided, changed, is_handed, may_be_of_a_copy, root

_TAKES_THEM = frozenset({"sync_module_states", "param_init_fn", "**"})
"""Arguments by which a wrapper gets the weights of the first rank, or makes them."""


def unshared_weights(walk: Walk) -> Iterator[OneSided]:
    """What only some ranks load into a model that is sharded afterwards, each rank's shard out of its own weights."""
    wrapped = [event for event in walk.doing(Effect.CONSTRUCT) if _cuts(event)]
    for change in walk.doing(Effect.NEW_STATE) if wrapped and not walk.cut else ():
        kind, key = changed(change)
        if kind != "weights" or not change.by_some or key is None or may_be_of_a_copy(walk, change):
            continue
        made = next((event for event in wrapped if event.order > change.order and _is_of(event, key)), None)
        if made is None or not made.agrees_with(change):
            continue
        used = next((event for event in walk.doing(Effect.BACKWARD) if _trains(event, made, key)), None)
        if used is not None and not _is_mended(walk, change, used, key):
            yield OneSided("unshared", change, used)


def _cuts(event: Event) -> bool:
    """Whether it surely makes shards of what each rank has in its own weights."""
    if not event.by_all or event.api is None or event.api.framework != "torch":
        return False
    if event.makes("fully_shard"):
        return True
    given = (name for name, value in event.kwargs.items() if value not in (Const(False), Const(None)))
    return event.makes("fsdp") and _TAKES_THEM.isdisjoint(given) and len(event.args) <= 1


def _is_of(made: Event, key: object) -> bool:
    return root(made.argument("module", 0)) == key


def _trains(event: Event, made: Event, key: object) -> bool:
    model = event.model_behind("fsdp", "fully_shard")
    return model is not None and event.by_all and event.order > made.order and root(model) == key


def _is_mended(walk: Walk, change: Event, used: Event, key: object) -> bool:
    """Whether the other ranks load them, too, or hear of them, or whoever nobody followed was given the model."""
    for event in walk.events:
        if changed(event) == ("weights", key) and not event.ranks <= change.ranks:
            return True
        if not change.order < event.order < used.order:
            continue
        if event.effect == Effect.COLLECTIVE and event.label.startswith(REPAIRS) and says_something(event):
            return True
        takes = event.effect in (Effect.OPAQUE, Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS)
        if takes and any(is_handed(value, key) for value in (*event.args, *event.kwargs.values())):
            return True
    return False
