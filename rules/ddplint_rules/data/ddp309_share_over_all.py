"""DDP309 share-over-all."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class ShareOverAll(Rule):
    """## What it does
    Finds a measure that each rank takes of its share of a set (of a `DistributedSampler`), and then divides by the
    length of the whole set, while nothing adds up what the ranks have.

    What is reduced or gathered afterwards is not reported, nor what is handed to code that cannot be read.

    ## Why is this bad
    Each rank has counted its own samples, and they are divided by those of all. Nothing is raised. Measured on gloo
    with two processes and torch 2.13, a model that is always right, 64 samples: an accuracy of 0.5 on both ranks, and
    1.0 with an `all_reduce` of the sum.

    No public thread was found.

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
