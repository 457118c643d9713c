"""Calls that are given a rank and a number of ranks, to share data out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ddplint.rule import (
    Const,
    Effect,
    Either,
    Event,
    Instance,
    Object,
    PerRank,
    Unknown,
    Value,
    Varying,
    Walk,
    terms,
)
from ddplint.rule.code import Site, argument, starred
from ddplint.rule.facts import is_written_out, name_words, of_a_node, parts
from ddplint.rule.knowledge import begins

_GLOBAL, _LOCAL = (0, 1, 2, 3), (0, 1, 0, 1)
_WORLD, _LOCAL_WORLD = 4, 2
_SIZE_WORDS = frozenset({"world", "size"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DATA_WORDS = frozenset({"data", "dataset", "dataloader", "loader", "reader", "stream", "shard", "sharded", "sampler"})
_RANK_NAMES = ("rank", "index", "shard_id", "shard_index")
_SIZE_NAMES = ("num_replicas", "world_size", "num_shards", "num_ranks")


def shares(walk: Walk) -> Iterator[Share]:
    """Samplers, what the tables say takes a rank, and classes named after data that are given both numbers."""
    for event in walk.events:
        share = Share(event, _parameters(walk, event))
        if event.effect == Effect.RANKED:
            words = {word.lower() for word in _WORD.findall(event.name)}
            if words & _DATA_WORDS and share.size is not None:
                yield share
        elif event.effect == Effect.SAMPLER or (event.api is not None and event.api.rank.name):
            yield share


@dataclass(frozen=True, eq=False)
class Share:
    """The rank and the number of ranks in a call; ``None`` where it does not give them.

    ``params``: what a class of the project calls what it is given, in order.
    """

    event: Event
    params: Sequence[str] = ()

    @cached_property
    def rank(self) -> Value | None:
        return self._given(*self._rank_names)

    @cached_property
    def size(self) -> Value | None:
        return self._given(*self._size_names)

    @cached_property
    def written_rank(self) -> cst.BaseExpression | None:
        """The rank as it is written."""
        return self._written(*self._rank_names)

    @cached_property
    def written_size(self) -> cst.BaseExpression | None:
        """The number of ranks as it is written."""
        return self._written(*self._size_names)

    @property
    def goes_by_the_rank(self) -> bool:
        """Whether each process passes its number in the job."""
        return _numbers(self.rank) == _GLOBAL

    @property
    def goes_by_the_local_rank(self) -> bool:
        """Whether each process passes its number on its node: by value, or by its name where nobody knows the value."""
        numbers = _numbers(self.rank)
        if numbers is not None or self.written_rank is None or self.size is None:
            return numbers == _LOCAL
        return {"local", "rank"} <= name_words(self.written_rank) and isinstance(self.rank, Unknown)

    @property
    def is_of_one_node(self) -> bool:
        """Whether the number of ranks is that of one node."""
        return self.size == Const(_LOCAL_WORLD)

    @property
    def is_of_all_nodes(self) -> bool:
        """Whether the number of ranks is that of all nodes: by value, by default, or by its name."""
        event, size, written = self.event, self.size, self.written_size
        if size is None:
            return event.api is not None and "distributed" in event.name.lower()
        if isinstance(size, Const):
            return str(size.value) == str(_WORLD) and not is_written_out(Site(event.file, event.node), written)
        if written is None or isinstance(size, PerRank) or of_a_node(size):
            return False
        words = name_words(written)
        return words >= _SIZE_WORDS and not words & {"local", "node"}

    @property
    def is_swapped(self) -> bool:
        """Whether the number of ranks is passed for the rank, and the other way round: by value, or by name."""
        if self.rank == Const(_WORLD) and _numbers(self.size) == _GLOBAL:
            return True
        if self.written_rank is None or self.written_size is None or isinstance(self.rank, PerRank):
            return False
        first, second = name_words(self.written_rank), name_words(self.written_size)
        return (
            first >= _SIZE_WORDS and "rank" not in first and "rank" in second and not second & (_SIZE_WORDS | {"ranks"})
        )

    @property
    def _rank_names(self) -> tuple[tuple[str, ...], int | None]:
        """The keywords and the position of the rank."""
        api = self.event.api
        return ((api.rank.name,), api.rank.position) if api is not None and api.rank.name else (_RANK_NAMES, None)

    @property
    def _size_names(self) -> tuple[tuple[str, ...], int | None]:
        """The keywords and the position of the number of ranks."""
        api = self.event.api
        return ((api.world.name,), api.world.position) if api is not None and api.rank.name else (_SIZE_NAMES, None)

    def _given(self, names: tuple[str, ...], position: int | None) -> Value | None:
        given = (self.event.argument(name, self._place(name, position)) for name in names)
        return next((value for value in given if value is not None), None)

    def _written(self, names: tuple[str, ...], position: int | None) -> cst.BaseExpression | None:
        call = self.event.call
        if call is None or starred(call):
            return None
        written = (argument(call, name, self._place(name, position)) for name in names)
        return next((one for one in written if one is not None), None)

    def _place(self, name: str, position: int | None) -> int | None:
        return self.params.index(name) if position is None and name in self.params else position


def _parameters(walk: Walk, event: Event) -> Sequence[str]:
    """What the constructor of a class of the project is given, by name, behind the object itself."""
    made = event.result
    if walk.index is None or not isinstance(made, Instance):
        return ()
    found = walk.index.functions(made.cls.module.file, f"{made.cls.name}.__init__")
    return found[0].record.params[1:] if found else ()


def _numbers(value: Value | None) -> tuple[int, ...] | None:
    """The number each rank passes, where it is known to differ."""
    found = tuple(part.value for part in value.values if isinstance(part, Const)) if isinstance(value, PerRank) else ()
    return found if len(found) == _WORLD and all(isinstance(number, int) for number in found) else None


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
