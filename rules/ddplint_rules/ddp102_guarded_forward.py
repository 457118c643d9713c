"""DDP102 guarded-forward."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Divergence, Finding, Rule, Severity, Walk
from ddplint_rules import _parting as parting


class GuardedForward(Rule):
    """## What it does
    Finds the forward pass, backward pass, step or construction of a wrapped model (DDP, FSDP, DeepSpeed) on some ranks only.

    ## Why is this bad
    A backward pass and a construction communicate always; a forward pass does when the module has buffers or gradients are on.
    A barrier before or after a guarded forward turns a lucky run into a sure hang.

    ## Example
    ```python
    if rank == 0:
        validate(ddp_model)
    ```

    ## Use instead
    ```python
    if rank == 0:
        validate(ddp_model.module)
    ```

    ## Fix safety
    Calling the wrapped module is safe under `no_grad` through plain DDP, otherwise unsafe.
    """

    code = "DDP102"
    name = "guarded-forward"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in walk.divergences:
            if parting.code_of(divergence) == self.code:
                first, second = divergence.sides
                event = first.event
                assert event is not None
                severity = self.severity
                if event.effect == "forward" and event.details.get("no_grad") and not event.details.get("engine"):
                    severity = Severity.WARNING
                yield parting.told(
                    self,
                    divergence,
                    f"{event.label} reached by {parting.who(first.ranks)} only",
                    severity=severity,
                    confidence=parting.confidence_of(divergence),
                )
