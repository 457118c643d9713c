"""DDP106 uneven-loop."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Divergence, Finding, Rule, Severity, Walk
from ddplint_rules import _parting as parting


class UnevenLoop(Rule):
    """## What it does
    Finds a loop with collectives, or with a wrapped forward or backward pass, whose number of rounds differs by rank.

    ## Why is this bad
    The rank with more rounds waits alone in its last one, or pairs with whatever the others call next.

    ## Example
    ```python
    for item in items[rank::world_size]:
        dist.all_gather(out, encode(item))
    ```

    ## Use instead
    ```python
    for item in items[: len(items) // world_size * world_size][rank::world_size]:
        ...
    ```

    ## Fix safety
    There is no automatic fix. `Join`, `drop_last`, or a reduced count make the rounds equal.
    """

    code = "DDP106"
    name = "uneven-loop"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in walk.divergences:
            if parting.code_of(divergence) == self.code:
                first, second = divergence.sides
                assert first.event is not None
                yield parting.told(
                    self,
                    divergence,
                    f"{parting.what(first)} in a loop whose number of rounds differs between ranks",
                    confidence=parting.confidence_of(divergence),
                    no_fix="make the rounds equal (drop_last, a reduced count) or wrap the loop in Join",
                )
