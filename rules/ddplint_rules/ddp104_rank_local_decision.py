"""DDP104 rank-local-decision."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Finding, Reason, Rule, Severity, Walk
from ddplint_rules import _parting as parting


_SEEN = {
    Reason.DATA: "its own data",
    Reason.IDENTITY: "its rank",
    Reason.CLOCK: "its clock",
    Reason.FILESYSTEM: "its view of the machine",
    Reason.RANDOM: "its random numbers",
    Reason.EXCEPTION: "an exception",
    Reason.LENGTH: "the length of its data",
}


class RankLocalDecision(Rule):
    """## What it does
    Finds a condition on something each rank sees for itself (its batch, a local metric, the clock, the file system, a random
    number) that decides whether a collective, a backward pass or a collective save happens.

    ## Why is this bad
    As soon as the ranks decide differently, one waits in an operation that the others never enter, or all go on with each
    other's data.

    ## Example
    ```python
    if torch.isnan(loss):
        continue
    loss.backward()
    ```

    ## Use instead
    ```python
    bad = torch.isnan(loss).float()
    dist.all_reduce(bad, op=dist.ReduceOp.MAX)
    if bad:
        continue
    loss.backward()
    ```

    ## Fix safety
    Agreeing first changes what is computed; it is unsafe.
    """

    code = "DDP104"
    name = "rank-local-decision"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in walk.divergences:
            if parting.code_of(divergence) == self.code:
                first, second = divergence.sides
                assert first.event is not None
                reason = divergence.guard.reason
                severity = self.severity if reason in (Reason.DATA, Reason.IDENTITY) else Severity.WARNING
                yield parting.told(
                    self,
                    divergence,
                    f"whether {parting.what(first)} happens is decided by each rank for itself ({_SEEN[reason]})",
                    severity=severity,
                    confidence=parting.confidence_of(divergence),
                )
