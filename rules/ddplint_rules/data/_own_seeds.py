"""Samplers that every rank seeds in its own way, so that the ranks cut their shares from different orders."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Event, PerRank, Reason, Value, Varying, Walk

__all__ = ["own_seeds"]

_SAMPLER = "torch.utils.data.distributed.DistributedSampler"
_NUM_REPLICAS, _SHUFFLE, _SEED = 1, 3, 4


def own_seeds(walk: Walk) -> Iterator[tuple[Event, PerRank | Varying]]:
    """The samplers of torch's that share the data among all ranks, and the seed that differs between these."""
    for event in walk.events:
        if event.effect != "sampler" or event.name != _SAMPLER or len(event.ranks) < 2:
            continue
        seed = _given(event, "seed", _SEED)
        if seed is not None and _is_own(seed, event) and _is_for_all(event) and _shuffles(event):
            assert isinstance(seed, (PerRank, Varying))
            yield event, seed


def _given(event: Event, name: str, position: int) -> Value | None:
    return event.kwargs.get(name) or (event.args[position] if position < len(event.args) else None)


def _is_own(seed: Value, event: Event) -> bool:
    """Whether the seed holds the rank, or the time at which each rank came here."""
    if isinstance(seed, PerRank):
        return len({seed.values[rank] for rank in event.ranks}) > 1
    return isinstance(seed, Varying) and seed.reason is Reason.CLOCK


def _is_for_all(event: Event) -> bool:
    """Whether the sampler shares out among all ranks; ranks that hold parts of one model get the same data."""
    shares = _given(event, "num_replicas", _NUM_REPLICAS)
    return shares is None or (isinstance(shares, Const) and shares.value in (None, len(event.everyone)))


def _shuffles(event: Event) -> bool:
    asked = _given(event, "shuffle", _SHUFFLE)
    return not isinstance(asked, Const) or bool(asked.value)
