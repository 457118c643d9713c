"""DDP103 collective-order."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Divergence, Finding, Rule, Severity, Walk
from ddplint_rules import _parting as parting


class CollectiveOrder(Rule):
    """## What it does
    Finds branches in which every rank calls collectives, but of different kinds or in a different order.

    ## Why is this bad
    Collectives of one kind pair up in the order they are called, so the wrong tensors are combined silently; of different kinds,
    both sides wait.

    ## Example
    ```python
    if rank == 0:
        dist.all_reduce(a)
        dist.barrier()
    else:
        dist.barrier()
        dist.all_reduce(a)
    ```

    ## Use instead
    ```python
    dist.all_reduce(a)
    dist.barrier()
    ```

    ## Fix safety
    There is no automatic fix.
    """

    code = "DDP103"
    name = "collective-order"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in walk.divergences:
            if parting.code_of(divergence) == self.code:
                first, second = divergence.sides
                assert first.event is not None
                yield parting.told(
                    self,
                    divergence,
                    f"{parting.who(first.ranks)} call{'s' if len(first.ranks) == 1 else ''} {parting.what(first)} where {parting.who(second.ranks)} "
                    f"call{'s' if len(second.ranks) == 1 else ''} {parting.what(second)}",
                )
