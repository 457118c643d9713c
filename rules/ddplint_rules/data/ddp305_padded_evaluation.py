"""DDP305 padded-evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddplint.rule import Because, Effect, Event, Finding, Harm, Note, Place, Rule, Severity, Walk
from ddplint.rule.facts import Pass, made_by, passes, shuffles, trains
from ddplint.rule.notes import related

_AWARE = re.compile(r"len\([^()]*\)\s*%|%\s*\w*(world_size|num_replicas|num_tasks)|\[\s*:\s*len\(|padd|duplicat", re.I)


class PaddedEvaluation(Rule):
    """## What it does
    Finds an evaluation over a `DistributedSampler` that pads, whose results are then reduced or gathered over the
    ranks. Also one over a loader that accelerate has prepared, where `accelerator.gather` brings the labels together,
    or `gather_for_metrics` gets the mean of a batch.

    ## Why is this bad
    Where the set does not divide by the number of ranks, the sampler repeats samples from the front, and they count
    twice in the metric. Measured on 10 samples and 4 ranks: an accuracy of 0.900 came out as **0.833**, and as
    1.000 where the sum over the padded shards was divided by `len(dataset)`. `drop_last=True` gave 0.875, two
    samples short. Cutting a gathered list to `len(dataset)` cuts the wrong items, for it is ordered by rank and not
    by sample. With accelerate 1.15.0, 9 samples in batches of 2 and two processes, one sample wrong: `gather` gave 12
    of which 2 were wrong, `gather_for_metrics` 9 and 1. Of the numbers 1 to 9 in batches of 5 it gave a mean of 4.6
    where each rank gathered the mean of its batch, and of 5.0 where it gathered the numbers.

    Where whole outputs (logits, hidden states) are gathered for a metric, reduce what the metric needs instead: sums
    and counts. Measured with 62.5 MiB per rank on gloo, two ranks on a busy machine of two cores, three runs of
    `torchrun --standalone --nproc-per-node 2 benchmarks/large_reduction.py`, fastest of nine rounds each:

    | | whole | 4 MiB at a time | 64 KiB at a time |
    | --- | --- | --- | --- |
    | `all_gather` | 304 to 550 ms | 99 to 133 ms | 312 to 741 ms |
    | `all_reduce` | 43 to 58 ms | 55 to 115 ms | 356 to 833 ms |
    | `all_reduce` of the loss and the count | 0.1 to 0.2 ms | | |

    So pieces bound the memory, and a gather in large ones is faster; small pieces cost more than they save. They do
    not help against a timeout that passes because a rank is missing. NCCL was not measured.

    It happened in huggingface/trl#7010, pytorch/pytorch#25162, pytorch/vision#4559 and roboflow/rf-detr#1507.

    ## Example
    ```python
    loader = DataLoader(val_set, sampler=DistributedSampler(val_set, shuffle=False))
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum()
    dist.all_reduce(correct)
    ```

    ## Use instead
    ```python
    shard = torch.utils.data.Subset(val_set, range(rank, len(val_set), world_size))
    for x, y in DataLoader(shard):
        correct += (model.module(x).argmax(1) == y).sum()
    dist.all_reduce(correct)
    ```

    If the whole tensors are needed, take them in pieces that all ranks cut alike:
    ```python
    for piece in logits.flatten().split(1 << 20):
        parts = [torch.empty_like(piece) for _ in range(world_size)]
        dist.all_gather(parts, piece)
        histogram += sum(part.histc(64, -8, 8) for part in parts)
    ```

    ## Fix safety
    There is no automatic fix: shards of unequal length must not meet a collective inside the loop.
    """

    code = "DDP305"
    name = "padded-evaluation"
    severity = Severity.ADVICE
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        yield from self._filled_up(walk)
        told: set[object] = set()
        for found in passes(walk):
            sampler = found.sampler
            if sampler.site in told or found.loop is None or sampler.argument(5, "drop_last") is not None:
                continue
            if shuffles(sampler) is not False or trains(walk, found) or not found.event.by_all:
                continue
            reduced, made = _reduced(walk, found), made_by([walk], sampler)
            if reduced is None or made is None or _is_aware(found, made):
                continue
            told.add(sampler.site)
            text = f"samples that the sampler repeats count twice in what {reduced.label} adds up"
            notes = (
                Note("origin", Place.of(made), "pads the set to a multiple of the number of ranks"),
                related(reduced, "the results of all ranks meet here"),
            )
            place = Place.of(found.event)
            remedy = "share the set out without padding, or drop the repeated samples before the reduction"
            root = notes[0].place
            yield self.finding(place, text, because=Because.PADDING, notes=notes, no_fix=remedy, root=root)

    def _filled_up(self, walk: Walk) -> Iterator[Finding]:
        """Loaders that accelerate fills up, and whose labels a plain gather brings together."""
        from ddplint_rules.data._helpers.filled_up import as_numbers, filled_up

        told: set[object] = set()
        for loop, gather in as_numbers(walk):
            if gather.node not in told:
                told.add(gather.node)
                yield self.finding(
                    Place.of(gather),
                    "one number for a whole batch: samples that filled the last one up cannot be left out of it",
                    because=Because.LIBRARY,
                    notes=(related(loop, "the prepared loader gives every rank as many batches"),),
                    no_fix="gather the value of each sample, and take the mean of what came together",
                )
        for loop, gather in filled_up(walk):
            if gather.node not in told:
                told.add(gather.node)
                yield self.finding(
                    Place.of(gather),
                    "samples with which the last batches were filled up count twice in what is gathered here",
                    because=Because.LIBRARY,
                    notes=(related(loop, "the prepared loader gives every rank as many batches"),),
                    no_fix="gather_for_metrics() leaves them out",
                )


def _reduced(walk: Walk, found: Pass) -> Event | None:
    """The first reduction of results inside the loop, or after it in the same function, one for each metric."""
    function, around = found.event.stack[:-1], found.event.loops
    others = {id(one.loop) for one in passes(walk) if one.loop is not found.loop}
    for event in walk.doing(Effect.COLLECTIVE):
        if event.order < found.event.order or "reduce" not in event.label:
            continue
        inside = found.loop in event.loops
        beside = [frame.node for frame in event.stack[: len(function)]] == [frame.node for frame in function]
        same = (
            len(event.stack) > len(function) and event.stack[len(function)].function == found.event.stack[-1].function
        )
        later = event.loops[: len(around)] == around and others.isdisjoint(map(id, event.loops[len(around) :]))
        return event if inside or (beside and same and later) else None
    return None


def _is_aware(found: Pass, made: Event) -> bool:
    """Whether the code around speaks of the padding."""
    files = {id(frame.file): frame.file for frame in (*found.event.stack, *made.stack)}
    return any(_AWARE.search(file.text) for file in files.values())
