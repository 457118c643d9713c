"""DDP304 sampler-rank-mismatch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import (
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Fix,
    Harm,
    Note,
    PerRank,
    Place,
    Rule,
    Safety,
    Severity,
    Unknown,
    Value,
    Walk,
)

if TYPE_CHECKING:
    import libcst as cst


_GLOBAL, _LOCAL = (0, 1, 2, 3), (0, 1, 0, 1)
_WORLD, _LOCAL_WORLD = 4, 2
_SIZE_WORDS = frozenset({"world", "size"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DATA_WORDS = frozenset({"data", "dataset", "dataloader", "loader", "reader", "stream", "shard", "sharded", "sampler"})
_RANK_NAMES = ("rank", "index", "shard_id", "shard_index")
_SIZE_NAMES = ("num_replicas", "world_size", "num_shards", "num_ranks")


class SamplerRankMismatch(Rule):
    """## What it does
    Finds a sampler or shard that gets the local rank together with the number of all processes, the global rank
    with the number of processes of one node, the two exchanged, or the same rank on every process, and a global rank
    that is worked out as `node_rank * world_size + local_rank`. Also a sampler that was made for a data set which is
    then packed, filtered or cut before the loader gets it, and one whose seed holds the rank or the time. A class of
    the project that is named after data (`ShardedReader`) and told `rank=` and `world_size=` counts as a sampler.

    ## Why is this bad
    With the local rank on two nodes of two, ranks 2 and 3 get the shards of ranks 0 and 1: half of the data is seen
    twice in every epoch and the other half never, silently. With the global rank and the local size the sampler
    raises on the second node (`ValueError: Invalid rank 2, rank should be in the interval [0, 1]`). On one node
    both are right, which is why it goes unnoticed; it is a warning where nothing shows several nodes.

    `node_rank * world_size + local_rank` gives 4 and 5 on the second of two nodes of two, where the ranks are 2 and
    3: nobody is rank 2, and a shard, a log or a file named after the rank goes astray. The factor is the number of
    processes of **one** node.

    A sampler draws its indices from the length its data set had when it was made: over a shorter one it runs out of
    range (`IndexError`), of a longer one it never sees the rest.

    A sampler shuffles all indices by its seed and takes every so many-th of them. With `seed=rank` the orders differ:
    measured, some samples are in the shares of two ranks, and others in nobody's.

    It happened in vllm-project/speculators#427: processes of the same number on each node trained on the same shard.

    ## Example
    ```python
    sampler = DistributedSampler(data, num_replicas=dist.get_world_size(), rank=local_rank)
    ```

    ## Use instead
    ```python
    sampler = DistributedSampler(data, num_replicas=dist.get_world_size(), rank=dist.get_rank())
    ```

    ## Fix safety
    Unsafe: it changes which samples the ranks of further nodes see.
    """

    code = "DDP304"
    name = "sampler-rank-mismatch"
    severity = Severity.ERROR
    otherwise = "A warning where the seed is each rank's own by chance, and where nothing shows jobs on several nodes."
    harm = Harm.RESULT

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint.rule.facts import too_large

        for walk in walks:
            yield from self._samplers(walk)
            yield from self._outdated(walk)
            yield from self._seeded(walk)
        for node in too_large(walks[0].file) if walks else ():
            text = "a node's number times the number of all processes: from the second node on no process has this rank"
            remedy = "multiply by the number of processes of one node, or ask for the rank"
            place, few = Place(walks[0].file, node), Severity.WARNING
            yield self.finding(place, text, because=Because.NOT_WALKED, few_nodes=few, no_fix=remedy)

    def _outdated(self, walk: Walk) -> Iterator[Finding]:
        """Samplers of a data set that was exchanged before the loader got it."""
        from ddplint_rules.data._helpers.stale import outdated

        for found in outdated(walk):
            loader, sampler = found.loader, found.sampler
            text = "this sampler was made before its data set was exchanged: its indices belong to the old one"
            notes = (
                Note("origin", Place(sampler.file, sampler.node), "the sampler, made for the data set as it was"),
                Note("related", Place(loader.file, found.replaced), "the data set gets other samples here"),
            )
            remedy = "make the sampler after the last change of the data set"
            place = Place(loader.file, loader.node)
            yield self.finding(place, text, because=Because.ORDER_OF_USE, notes=notes, no_fix=remedy)

    def _seeded(self, walk: Walk) -> Iterator[Finding]:
        """Samplers whose seed is another one on each rank."""
        from ddplint_rules.data._helpers.stale import own_seeds

        for event, seed in own_seeds(walk):
            origins = seed.trail.links() if seed.trail is not None else ()
            yield self.finding(
                Place(event.file, event.node),
                f"{event.label} gets a seed that differs by rank: each rank cuts its share from an order of its own",
                severity=Severity.ERROR if isinstance(seed, PerRank) else Severity.WARNING,
                because=Because.AS_WRITTEN if isinstance(seed, PerRank) else Because.OWN_VALUE,
                notes=tuple(Note("origin", Place(one.file, one.node), one.text or "the seed") for one in origins),
                no_fix="pass the same seed on all ranks",
            )

    def _samplers(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            if not _shares_out(event):
                continue
            rank, size = _argument(event, "rank"), _argument(event, "size")
            numbers = _numbers(rank) or _by_name(event)
            if numbers == _LOCAL and _is_world(event, size):
                text = "the local rank with the number of all processes: on two nodes ranks share their data"
                yield self._reported(event, rank, text, "rank")
            elif numbers == _GLOBAL and size == Const(_LOCAL_WORLD):
                text = "the global rank with the number of processes of one node: the second node is out of range"
                yield self._reported(event, rank, text, "size")
            elif _are_swapped(event, rank, size):
                text = "the number of processes for the rank, and the rank for their number"
                yield self._reported(event, size, text, "order")

    def _reported(self, event: Event, rank: Value | None, text: str, wrong: str) -> Finding:
        origins = rank.trail.links() if isinstance(rank, PerRank) and rank.trail is not None else ()
        notes = tuple(Note("origin", Place(one.file, one.node), one.text or "differs by rank") for one in origins)
        fix = _fix(event, wrong) if wrong != "order" else None
        remedy = "exchange the two" if wrong == "order" else "pass the global rank and the number of all processes"
        return self.finding(
            Place(event.file, event.node),
            f"{event.label} gets {text}",
            few_nodes=Severity.WARNING if wrong != "order" else None,
            because=Because.AS_WRITTEN if origins and _argument(event, "size") is not None else Because.ARGUMENT,
            notes=notes,
            fix=fix,
            no_fix="" if fix is not None else remedy,
        )


def _shares_out(event: Event) -> bool:
    """Whether a call is given the rank to distribute data: a sampler, a row of the tables, a class named after data."""
    if event.effect == Effect.RANKED:
        words = {word.lower() for word in _WORD.findall(event.name)}
        return bool(words & _DATA_WORDS) and _argument(event, "size") is not None
    return event.effect == Effect.SAMPLER or (event.api is not None and bool(event.api.rank.name))


def _names(event: Event, which: str) -> tuple[tuple[str, ...], int | None]:
    """The keywords and the position of the rank or the number of ranks in a call."""
    api = event.api
    if api is not None and api.rank.name:
        known = (api.rank.name, api.rank.position) if which == "rank" else (api.world.name, api.world.position)
        return (known[0],), known[1]
    return (_RANK_NAMES if which == "rank" else _SIZE_NAMES), None


def _argument(event: Event, which: str) -> Value | None:
    names, position = _names(event, which)
    for name in names:
        if name in event.kwargs:
            return event.kwargs[name]
    return event.args[position] if position is not None and position < len(event.args) else None


def _numbers(value: Value | None) -> tuple[int, ...] | None:
    """The number each rank passes, where it is known to differ."""
    if not isinstance(value, PerRank):
        return None
    found = tuple(part.value if isinstance(part, Const) else None for part in value.values)
    return tuple(found) if all(isinstance(number, int) for number in found) else None  # type: ignore[arg-type]


def _by_name(event: Event) -> tuple[int, ...] | None:
    """The local ranks where what is passed is called so, though nobody knows its value."""
    written = _written(event, "rank")
    if written is None or _argument(event, "size") is None:
        return None
    from ddplint.rule.facts import name_words

    return (
        _LOCAL if {"local", "rank"} <= name_words(written) and isinstance(_argument(event, "rank"), Unknown) else None
    )


def _is_world(event: Event, size: Value | None) -> bool:
    """Whether the number of ranks is that of all nodes: by value, by default, or by its name."""
    if size is None:
        return event.api is not None and "distributed" in event.name.lower()
    from ddplint.rule.facts import is_written_out, of_a_node

    written = _written(event, "size")
    if isinstance(size, Const):
        from ddplint.rule.code import Site

        return str(size.value) == str(_WORLD) and not is_written_out(Site(event.file, event.node), written)
    if written is None or isinstance(size, PerRank) or of_a_node(size):
        return False
    from ddplint.rule.facts import name_words

    words = name_words(written)
    return {"world", "size"} <= words and not words & {"local", "node"}


def _are_swapped(event: Event, rank: Value | None, size: Value | None) -> bool:
    """Whether what is passed for the rank is the number of ranks, and the other way round: by value, or by name."""
    if rank == Const(_WORLD) and _numbers(size) == _GLOBAL:
        return True
    for_rank, for_size = _written(event, "rank"), _written(event, "size")
    if for_rank is None or for_size is None or isinstance(rank, PerRank):
        return False
    from ddplint.rule.facts import name_words

    first, second = name_words(for_rank), name_words(for_size)
    return first >= _SIZE_WORDS and "rank" not in first and "rank" in second and not second & (_SIZE_WORDS | {"ranks"})


def _written(event: Event, which: str) -> cst.BaseExpression | None:

    from ddplint.rule.code import argument

    names, position = _names(event, which)
    if event.call is None:
        return None
    return next((found for name in names if (found := argument(event.call, name, position)) is not None), None)


def _fix(event: Event, wrong: str) -> Fix | None:
    import libcst as cst

    from ddplint.rule.code import Site
    from ddplint.rule.fixes import Replace

    written = _written(event, wrong)
    if written is None or event.group:
        return None
    asked = "get_rank" if wrong == "rank" else "get_world_size"
    named = Site(event.file, event.node).name(f"torch.distributed.{asked}")
    edit = Replace(event.file, written, cst.Call(named.expression))
    title = "Pass the global rank" if wrong == "rank" else "Pass the number of all processes"
    return Fix(title, Safety.UNSAFE, (edit, *named.edits))
