"""DDP102 guarded-forward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Divergence, Finding, Rule, Severity, Walk
from ddplint_rules import _parting as parting

if TYPE_CHECKING:
    from ddplint_rules._repair import Answer


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
        yield from self.check_file([walk])

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for divergence in (one for walk in walks for one in walk.divergences):
            if parting.code_of(divergence) == self.code:
                first = divergence.sides[0]
                event = first.event
                assert event is not None
                severity, why = _judged(divergence, walks)
                answer = _answer(divergence, walks)
                yield parting.told(
                    self,
                    divergence,
                    f"{event.label} reached by {parting.who(first.ranks)} only: {why}",
                    severity=severity,
                    confidence=parting.confidence_of(divergence),
                    fix=answer.fix,
                    no_fix=answer.no_fix,
                )


def _judged(divergence: Divergence, walks: Sequence[Walk]) -> tuple[Severity, str]:
    """How bad it is, and what the ranks wait for."""
    event, other = divergence.sides[0].event, divergence.sides[1].event
    assert event is not None
    if event.effect == "construct":
        return Severity.ERROR, "it hands out the parameters and waits for every rank"
    if event.effect == "backward":
        return Severity.ERROR, "it averages gradients with every rank"
    if event.effect != "forward" or event.details.get("engine"):
        return Severity.ERROR, "it communicates with every rank"
    if any(one.effect == "backward" and one.details.get("wrapped") for one in parting.beside(divergence, walks)):
        return Severity.ERROR, "the backward pass that follows averages gradients with every rank"
    buffers = event.details.get("buffers")
    if not event.details.get("no_grad"):
        if buffers is False:
            return Severity.WARNING, "with gradients on, one right after the first backward pass waits for every rank"
        return Severity.ERROR, "with gradients on it hands out the buffers and waits for every rank"
    if buffers and (other is None or other.effect != "forward"):
        return Severity.ERROR, "it hands out the buffers and waits for every rank"
    may = "hands" if buffers else "may hand"
    return (
        Severity.WARNING,
        f"it {may} out buffers, which completes only if every rank's next step is a forward pass too",
    )


def _answer(divergence: Divergence, walks: Sequence[Walk]) -> Answer:
    from ddplint_rules._repair import repaired

    return repaired(divergence, walks)
