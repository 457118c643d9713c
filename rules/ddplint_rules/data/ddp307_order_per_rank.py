"""DDP307 order-per-rank."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Because,
    Effect,
    Effects,
    Event,
    Finding,
    Harm,
    PerRank,
    Place,
    Rule,
    Severity,
    Varying,
    Walk,
)
from ddplint.rule.facts import around, sampler_of
from ddplint.rule.notes import came_from, related
from ddplint_rules.data._helpers.own_samplers import own_orders

_BEGINS: Effects = frozenset({Effect.INIT, Effect.LAUNCH})


class OrderPerRank(Rule):
    """## What it does
    Finds data that each rank has put into an order of its own before it takes its share: `random.shuffle(paths)` (or
    `random_split`, `randperm`, `permutation`, `train_test_split`) without a seed, or with one that holds the rank, and
    then a `DistributedSampler`, `accelerator.prepare` or `paths[rank::world_size]`. `shuffle()` and
    `train_test_split()` of Hugging Face data sets count, too, as do `shard()` and `Trainer`. Also
    `sampler.set_epoch(epoch + rank)`, and a sampler of the project that draws so behind a loader of `prepare`.

    Where the order is broadcast, sorted or written over in between, where a call that could not be followed may have
    seeded the generators, and where what was cut out is shuffled afterwards, nothing is reported.

    ## Why is this bad
    A share is what stands at certain places of the list, so all ranks must have the same list. Nothing raises, and
    the loss goes down. Measured with two processes and torch 2.13, 100 samples, three runs each:

    - `random.shuffle` without a seed, then `[rank::2]`: 24 or 25 samples were in the shares of both ranks, and as
      many in nobody's; with the same seed on both, none.
    - `random_split(data, [80, 20])` after `manual_seed(seed + rank)`: of the 20 samples that rank 0 held back, rank 1
      had 13 to 15 in its training set. What is measured on them is no measure.
    - `sampler.set_epoch(epoch + rank)`: 20 to 27 samples in both shares, as many in none.
    - `shuffle()` of datasets 5.2.0, then `shard(2, rank)`: 23 or 24 samples in both shares, as many in none. Of the 20
      that `train_test_split(test_size=0.2)` held back on rank 0, rank 1 trained on 17. With `numpy.random.seed(7)` on
      both ranks before, it was none each time. `shuffle()` of a stream, then `split_dataset_by_node`: 30 of 120 in
      both shares, as many in none.
    - a sampler that gives `torch.randperm(40)`, seeded by rank, behind `prepare` of accelerate 1.15.0: 31 of 40 samples
      were seen.

    It happened in QwenLM/Qwen3-VL#1947, TensorAuto/OpenTau#498 and #501, kekmodel/FixMatch-pytorch#5 and
    Lightning-AI/pytorch-lightning#7728.

    ## Example
    ```python
    random.shuffle(paths)
    share = paths[rank::world_size]
    ```

    ## Use instead
    ```python
    random.Random(seed).shuffle(paths)
    share = paths[rank::world_size]
    ```

    ## Fix safety
    There is no automatic fix: which seed is to be used, and whether a run that goes on had another one, is yours to
    say.
    """

    code = "DDP307"
    name = "order-per-rank"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        begun = bool(walk.begun)
        for event in walk.events:
            begun = begun or event.effect in _BEGINS
            own = event.details.get("order")
            if begun and isinstance(own, Varying) and event.by_all:
                yield self._shared_out(event, own)
            elif event.effect == Effect.SET_EPOCH and (epoch := _own_epoch(event)) is not None:
                yield self._told_apart(event, epoch)
        for found in own_orders(walk):
            yield self.finding(
                Place.of(found.draw),
                "each rank draws an order of its own, of which prepare() gives it a share: shares overlap",
                because=Because.OWN_VALUE,
                notes=(related(found.passed, "each rank takes its batches in turn here"),),
                no_fix="draw the order by a generator with the same seed on all ranks",
            )

    def _shared_out(self, event: Event, own: Varying) -> Finding:
        origins = own.trail.links() if own.trail is not None else ()
        drawn = origins[-1].text.rpartition(".")[2] if origins else "chance"
        return self.finding(
            Place.of(event),
            f"each rank takes its share of an order of its own ({drawn}): shares overlap, and leave samples out",
            because=Because.OWN_VALUE,
            notes=tuple(came_from(own, "")),
            no_fix="draw the order with the same seed on all ranks, or broadcast it",
        )

    def _told_apart(self, event: Event, epoch: PerRank) -> Finding:
        return self.finding(
            Place.of(event),
            "set_epoch gets another number on each rank: their shares overlap, and leave samples out",
            notes=tuple(came_from(epoch, "differs by rank")),
            no_fix="pass the epoch alone, which is the same on all ranks",
        )


def _own_epoch(event: Event) -> PerRank | None:
    """The number that a sampler of all ranks is given, where each rank has its own."""
    epoch = next((value for value in (*event.args[:1], event.kwargs.get("epoch")) if value is not None), None)
    told = any(True for loader in around(event.receiver) for _ in sampler_of(loader))
    return epoch if isinstance(epoch, PerRank) and told and event.by_all else None
