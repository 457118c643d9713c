"""DDP309 share-over-all."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class ShareOverAll(Rule):
    """## What it does
    Finds a measure that each rank takes of its share of a set (of a `DistributedSampler`), and then divides by the
    length of the whole set, while nothing adds up what the ranks have.

    What is reduced or gathered afterwards is not reported, nor what is handed to code that cannot be read. Also the
    other way round: a sum that `all_reduce` has added up over the ranks, divided by the number that this rank has
    counted in the same loop. And what one rank writes, or does not, because its own share came out better than before
    (`if rank == 0 and accuracy > best: torch.save(…)`). And a running total that is summed up over the ranks in place,
    in each round anew. And a schedule of the learning rate that is as long as the batches of all ranks while each steps
    once for each batch of its share, or that accelerate steps for all ranks while it is as long as one rank's batches.

    ## Why is this bad
    Each rank has counted its own samples, and they are divided by those of all. Nothing is raised. Measured on gloo
    with two processes and torch 2.13, a model that is always right, 64 samples: an accuracy of 0.5 on both ranks, and
    1.0 with an `all_reduce` of the sum.

    A sum of all ranks over the own count is too large by the number of ranks: measured the same way, 2.0.

    A running total that is reduced in place holds the sum of all ranks on each of them, and the next reduction adds
    these up: measured the same way, four rounds, a total of 78 for 30 and a count of 30 for 8.

    What is best on one share need not be best on all. Measured the same way, 200 samples and 20 epochs: in 7 of 10 runs
    rank 0 kept another epoch than the one with the best accuracy on all samples.

    Schedules, measured the same way over 16 steps, linear or cosine from 0.1 to 0: with `len(dataset) // batch_size`
    behind a `DistributedSampler`, and with the length of a loader before `accelerator.prepare` and a schedule that was
    not prepared, the rate was still 0.05 at the end. With the length of the prepared loader and a schedule that was
    prepared, too, it was 0 after 8 of the 16 (accelerate 1.15.0).

    It happened in pyg-team/pytorch_geometric#6913, NVIDIA-BioNeMo/bionemo-recipes#900 and modelscope/ms-swift#10088 (a
    checkpoint chosen by a share), and facebookresearch/fairchem#75 (totals that grew without end).

    ## Example
    ```python
    for x, y in DataLoader(data, sampler=DistributedSampler(data, shuffle=False)):
        right += (model(x).argmax(1) == y).sum()
    print(right / len(data))
    ```

    ## Use instead
    ```python
    for x, y in DataLoader(data, sampler=DistributedSampler(data, shuffle=False)):
        right += (model(x).argmax(1) == y).sum()
    dist.all_reduce(right)
    print(right / len(data))
    ```

    ## Fix safety
    There is no automatic fix: a reduction has to be reached by all ranks, and samples that the sampler repeats count
    twice in it (DDP305).
    """

    code = "DDP309"
    name = "share-over-all"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.data._helpers.shares_over_all import shares_over_all
        from ddplint_rules.data._helpers.sums_over_shares import sums_over_shares

        told: set[object] = set()
        for found in shares_over_all(walk):
            if found.share.event.node in told:
                continue
            told.add(found.share.event.node)
            yield self.finding(
                Place.of(found.ratio),
                "what this rank counted in its share is divided by the number of all samples, and nothing adds it up",
                because=Because.ORDER_OF_USE,
                notes=(related(found.share.event, "each rank goes through its share here"),),
                no_fix="add up the sums of all ranks before: dist.all_reduce(sum)",
            )
        for sums in sums_over_shares(walk):
            if sums.ratio.node in told:
                continue
            told.add(sums.ratio.node)
            yield self.finding(
                Place.of(sums.ratio),
                "the sum of all ranks is divided by the number that this rank has counted alone",
                because=Because.ORDER_OF_USE,
                notes=(related(sums.reduction, "all ranks add up here; the number is not added up"),),
                no_fix="add up the number, too: dist.all_reduce(count)",
            )
        yield from self._kept(walk)
        yield from self._again(walk)
        yield from self._scheduled(walk)

    def _again(self, walk: Walk) -> Iterator[Finding]:
        """Running totals that are summed up over the ranks each time, in place."""
        from ddplint_rules.data._helpers.sums_over_shares import sums_again

        told: set[object] = set()
        for event in sums_again(walk):
            if event.node in told:
                continue
            told.add(event.node)
            yield self.finding(
                Place.of(event),
                "on each rank this total holds the sum of all from the iteration before: it is added up once more",
                because=Because.ORDER_OF_USE,
                no_fix="sum up a copy of the total, or the total once, behind the loop",
            )

    def _kept(self, walk: Walk) -> Iterator[Finding]:
        """What one rank writes where its own share of an evaluation came out better than before."""
        from ddplint_rules.data._helpers.shares_over_all import kept_by_share

        told: set[object] = set()
        for found in kept_by_share(walk):
            if found.write.node in told:
                continue
            told.add(found.write.node)
            yield self.finding(
                Place.of(found.write),
                "one rank writes this because of its own share of the samples: nothing brings the shares together",
                because=Because.ORDER_OF_USE,
                notes=(related(found.share.event, "each rank goes through its share here"),),
                no_fix="add up what the ranks have counted before it is compared: dist.all_reduce(sum)",
            )

    def _scheduled(self, walk: Walk) -> Iterator[Finding]:
        """Schedules of the learning rate that are reckoned by other steps than those they get."""
        from ddplint_rules.data._helpers.schedules import misfits

        for found in misfits(walk):
            because = Because.LIBRARY if found.by_library else Because.ORDER_OF_USE
            yield self.finding(Place.of(found.event), found.text, because=because, no_fix=found.remedy)
