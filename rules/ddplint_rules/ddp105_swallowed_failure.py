"""DDP105 swallowed-failure."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Divergence, Finding, Rule, Severity, Walk
from ddplint_rules import _parting as parting


class SwallowedFailure(Rule):
    """## What it does
    Finds an exception handler that lets one rank skip or repeat collectives that the others perform.

    ## Why is this bad
    The rank whose exception is swallowed lives on outside the operation in which the others wait; they wait until the timeout,
    or combine its later tensors with their earlier ones.

    ## Example
    ```python
    try:
        loss = step(batch)
    except RuntimeError:
        continue
    ```

    ## Use instead
    ```python
    ok = try_step(batch)
    dist.all_reduce(ok, op=dist.ReduceOp.MIN)
    if not ok:
        continue
    ```

    ## Fix safety
    There is no automatic fix.
    """

    code = "DDP105"
    name = "swallowed-failure"
    severity = Severity.WARNING

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in walk.divergences:
            if parting.code_of(divergence) == self.code:
                first, second = divergence.sides
                assert first.event is not None
                yield parting.told(
                    self,
                    divergence,
                    f"an exception caught on one rank makes it miss {parting.what(first)} of the others",
                    confidence=parting.confidence_of(divergence),
                )
