"""Shares of a rank that are given to what shares them out once more."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Effect, Either, Event, Object, PerRank, Value, Varying, Walk, terms
from ddplint.rule.facts import parts
from ddplint.rule.knowledge import begins


def given_shares(walk: Walk) -> Iterator[Event]:
    """The constructions of trainers that shard their data set, which get one that is a rank's share already."""
    for event in walk.doing(Effect.CONSTRUCT):
        if event.api is None or "shards_again" not in event.api.also or not event.by_all:
            continue
        data = event.kwargs.get("train_dataset")
        if data is not None and _is_share(data) and walk.run_together(event):
            yield event


def _is_share(data: Value) -> bool:
    """Whether a data set is what a rank has of one, on one path at least; or a subset of it that is each rank's own."""
    if isinstance(data, Either):
        return _is_share(data.yes) or _is_share(data.no)
    if isinstance(data, Varying):
        return isinstance(data.symbol, terms.Fresh) and data.symbol.is_fresh("share")
    if isinstance(data, Object) and begins("subsets", data.name):
        indices = data.argument(1, "indices")
        return indices is not None and any(_is_by_rank(one) for one in (indices, *parts(indices)))
    return False


def _is_by_rank(indices: object) -> bool:
    """Whether they are each rank's own because of who it is."""
    if isinstance(indices, Varying) and indices.trail is not None:
        return any(origin.ranks for origin in indices.trail.links())
    return isinstance(indices, PerRank)
