"""DDP304 sampler-rank-mismatch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import libcst as cst

from ddplint.rule import (
    Because,
    Effect,
    Finding,
    Fix,
    Harm,
    Note,
    PerRank,
    Place,
    Rule,
    Safety,
    Severity,
    Value,
    Walk,
)
from ddplint.rule.code import Site
from ddplint.rule.facts import too_large
from ddplint.rule.fixes import Replace
from ddplint.rule.notes import came_from
from ddplint_rules.data._helpers.shares import Share, given_shares, shares

Wrong = Literal["rank", "size", "order"]
"""What a share is wrong in."""


class SamplerRankMismatch(Rule):
    """## What it does
    Finds a sampler or shard that gets the local rank together with the number of all processes, the global rank
    with the number of processes of one node, the two exchanged, or the same rank on every process, and a global rank
    that is worked out as `node_rank * world_size + local_rank`. Also a sampler that was made for a data set which is
    then packed, filtered or cut before the loader gets it, and one whose seed holds the rank or the time; and one that
    gives each rank a share of its own though `parallelize_module` has given several of them parts of one model. A class
    of the project that is named after data (`ShardedReader`) and told `rank=` and `world_size=` counts as a sampler.
    Last, a loader of each rank's shard (a `DistributedSampler`, a data set that skips what is others') that goes
    through `accelerator.prepare`, which shards it once more, and such a data set for the `Trainer` of transformers.

    ## Why is this bad
    With the local rank on two nodes of two, ranks 2 and 3 get the shards of ranks 0 and 1: half of the data is seen
    twice in every epoch and the other half never, silently. With the global rank and the local size the sampler
    raises on the second node (`ValueError: Invalid rank 2, rank should be in the interval [0, 1]`). On one node
    both are right, which is why it goes unnoticed. Where nothing shows several nodes, what raises on the second one is
    a warning, and what goes unnoticed there is advice.

    `node_rank * world_size + local_rank` gives 4 and 5 on the second of two nodes of two, where the ranks are 2 and
    3: nobody is rank 2, and a shard, a log or a file named after the rank goes astray. The factor is the number of
    processes of **one** node.

    A sampler draws its indices from the length its data set had when it was made: over a shorter one it runs out of
    range (`IndexError`), of a longer one it never sees the rest.

    A sampler shuffles all indices by its seed and takes every so many-th of them. With `seed=rank` the orders differ:
    measured, some samples are in the shares of two ranks, and others in nobody's.

    Ranks that hold one model together (tensor parallelism) have to get the same batch. Measured with four processes,
    two by two, and shares for all four: the sample of rank 0 came out as 0.1289, which was that of rank 1; with one
    share for both as 0.1551, like in one process. Nothing was raised. deepspeedai/DeepSpeed#99 is about such a sampler.

    `accelerator.prepare` shards whatever a loader gives: of its own shard each rank gets a part, or, of a data set that
    is only iterated, all get parts of what rank 0 reads. Measured with accelerate 1.15.0 on two processes: 32 of 64
    samples are ever seen, with a sampler, a subset and an iterated data set alike. With the `Trainer` of transformers
    5.23.0 and a subset for each rank, too.

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
    otherwise = (
        "A warning where the seed is each rank's own by chance, advice where nothing shows jobs on several nodes."
    )
    harm = Harm.RESULT

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for walk in walks:
            yield from self._samplers(walk)
            yield from self._outdated(walk)
            yield from self._seeded(walk)
            yield from self._held_together(walk)
            yield from self._shared_twice(walk)
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
                Note("origin", Place.of(sampler), "the sampler, made for the data set as it was"),
                Note("related", Place(loader.file, found.replaced), "the data set gets other samples here"),
            )
            remedy = "make the sampler after the last change of the data set"
            place = Place.of(loader)
            yield self.finding(place, text, because=Because.ORDER_OF_USE, notes=notes, no_fix=remedy)

    def _shared_twice(self, walk: Walk) -> Iterator[Finding]:
        """What gives a rank's shard, and is sharded once more by a library."""
        for event in given_shares(walk):
            text = "this data set is a rank's share, which the trainer shards again: most samples are never used"
            yield self.finding(Place.of(event), text, because=Because.LIBRARY, no_fix="give it the whole data set")
        for event in walk.doing(Effect.SHARE):
            if event.details.get("parted") and walk.run_together(event):
                text = "this loader gives a rank's shard, which is sharded again here: most samples are never used"
                remedy = "give prepare() a loader of all samples, or keep this one out of it"
                yield self.finding(Place.of(event), text, because=Because.LIBRARY, no_fix=remedy)

    def _seeded(self, walk: Walk) -> Iterator[Finding]:
        """Samplers whose seed is another one on each rank."""
        from ddplint_rules.data._helpers.stale import own_seeds

        for event, seed in own_seeds(walk):
            yield self.finding(
                Place.of(event),
                f"{event.label} gets a seed that differs by rank: each rank cuts its share from an order of its own",
                severity=Severity.ERROR if isinstance(seed, PerRank) else Severity.WARNING,
                because=Because.AS_WRITTEN if isinstance(seed, PerRank) else Because.OWN_VALUE,
                notes=tuple(came_from(seed, "the seed")),
                no_fix="pass the same seed on all ranks",
            )

    def _held_together(self, walk: Walk) -> Iterator[Finding]:
        """Samplers that give other samples to ranks which hold parts of one model."""
        from ddplint_rules.data._helpers.held_together import held_together

        for found in held_together(walk):
            yield self.finding(
                Place.of(found.sampler),
                f"{found.sampler.label} gives each rank its own share: ranks that hold one model get unequal samples",
                severity=Severity.WARNING,
                because=Because.ORDER_OF_USE,
                notes=(Note("related", Place.of(found.parted), "several ranks hold its layers together from here"),),
                no_fix="pass the number and the size along the data-parallel dimension of the mesh",
            )

    def _samplers(self, walk: Walk) -> Iterator[Finding]:
        for share in shares(walk):
            if share.goes_by_the_local_rank and share.is_of_all_nodes:
                text = "the local rank with the number of all processes: on two nodes ranks share their data"
                yield self._reported(share, share.rank, text, "rank")
            elif share.goes_by_the_rank and share.is_of_one_node:
                text = "the global rank with the number of processes of one node: the second node is out of range"
                yield self._reported(share, share.rank, text, "size")
            elif share.is_swapped:
                text = "the number of processes for the rank, and the rank for their number"
                yield self._reported(share, share.size, text, "order")

    def _reported(self, share: Share, rank: Value | None, text: str, wrong: Wrong) -> Finding:
        event = share.event
        notes = tuple(came_from(rank, "differs by rank")) if isinstance(rank, PerRank) else ()
        fix = _fix(share, wrong) if wrong != "order" else None
        remedy = "exchange the two" if wrong == "order" else "pass the global rank and the number of all processes"
        return self.finding(
            Place.of(event),
            f"{event.label} gets {text}",
            few_nodes={"rank": Severity.ADVICE, "size": Severity.WARNING}.get(wrong),
            because=Because.AS_WRITTEN if notes and share.size is not None else Because.ARGUMENT,
            notes=notes,
            fix=fix,
            no_fix="" if fix is not None else remedy,
        )


def _fix(share: Share, wrong: Wrong) -> Fix | None:
    event, written = share.event, share.written_rank if wrong == "rank" else share.written_size
    if written is None or event.group:
        return None
    asked = "get_rank" if wrong == "rank" else "get_world_size"
    named = Site(event.file, event.node).name(f"torch.distributed.{asked}")
    edit = Replace(event.file, written, cst.Call(named.expression))
    title = "Pass the global rank" if wrong == "rank" else "Pass the number of all processes"
    return Fix(title, Safety.UNSAFE, (edit, *named.edits))
