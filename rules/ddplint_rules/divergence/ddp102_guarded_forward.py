"""DDP102 guarded-forward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import (
    Because,
    Divergence,
    Effect,
    Event,
    Finding,
    Frame,
    Harm,
    Note,
    Outcome,
    Rule,
    Severity,
    Walk,
    Wrapped,
    replace,
)
from ddplint.rule.notes import related
from ddplint_rules.common import reporting
from ddplint_rules.fixes.offer import repair_of


class GuardedForward(Rule):
    """## What it does
    Finds the construction, forward pass, backward pass or step of a wrapped model (DDP, FSDP, DeepSpeed, a model from
    `accelerator.prepare`) that only some ranks reach, also through helpers, callbacks and bound methods.

    Calls of `model.module` are not reported, nor is a forward pass under `no_grad` through plain DDP when the model
    provably has no buffers: neither communicates.

    ## Why is this bad
    Measured on gloo with torch 2.13, two processes:

    - The constructor and the backward pass always communicate. A guarded backward hangs, or, if training goes on,
      averages gradients of different steps, silently.
    - A forward pass broadcasts the buffers of rank 0 (BatchNorm statistics) when gradients are on or the forward
      before was a training step. `eval()` alone changes nothing.
    - Under `no_grad`, one on rank 0 completes **by luck** when the next thing on all ranks is a training forward.
      When a barrier, a reduction or the end of the program comes next, it hangs every time. **A barrier before and
      after it turns the lucky run into a sure hang.**
    - Without buffers a forward communicates only once, right after the first backward pass (the buckets are rebuilt).
    - Sharded models (FSDP, ZeRO-3) gather parameters in every forward, in evaluation too. Which stage of ZeRO a
      DeepSpeed engine uses is up to its configuration, so a forward of one alone is a warning of low confidence.

    Those are the causes found in pytorch/pytorch#54059, jpata/particleflow#233 and lifeiteng/vall-e#116.

    The module inside does the same computation and no communication, with or without barriers around it. What it
    cannot give is time: if rank 0 evaluates longer than the timeout, the others still give up.

    ## Example
    ```python
    if dist.get_rank() == 0:
        with torch.no_grad():
            loss = criterion(model(images), labels)
    ```

    ## Use instead
    ```python
    if dist.get_rank() == 0:
        with torch.no_grad():
            loss = criterion(model.module(images), labels)
    ```

    ## Fix safety
    Calling the module inside (`model.module`, or `accelerator.unwrap_model(model)`) is safe under `no_grad` through
    plain DDP: only the communication goes. With gradients on it is unsafe. Where the forward also serves other ranks,
    the guarded ones get their own call: the argument or callback at the guarded call is rewritten. No barrier is
    added. There is no automatic fix for a construction, for sharded models, and where a backward pass belongs to it.
    """

    code = "DDP102"
    name = "guarded-forward"
    severity = Severity.ERROR
    otherwise = (
        "A warning where the model only has buffers that may be broadcast, where ZeRO's third stage would have to "
        "shard it, where ranks have different jobs, and where the analysis came to a limit."
    )
    harm = Harm.HANG

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for divergence in reporting.of(self, walks):
            event = divergence.event
            severity, why = _judged(divergence, walks)
            finding = reporting.reported(
                self,
                divergence,
                f"{event.label} reached by {reporting.who(divergence.ranks)} only: {why}",
                severity=severity,
                because=Because.CONFIGURED if _hangs_on_stage(divergence, walks) else None,
                answer=repair_of(divergence, walks),
            )
            yield replace(finding, notes=(*finding.notes, *_wrapped_at(event)))


def _wrapped_at(event: Event) -> Iterator[Note]:
    """Where the model that is called was wrapped: why calling it communicates."""
    model = event.receiver
    if isinstance(model, Wrapped) and isinstance(model.site, Frame) and model.site.node is not event.node:
        yield related(model.site, "the model is wrapped here")


def _judged(divergence: Divergence, walks: Sequence[Walk]) -> tuple[Severity, str]:
    """How bad it is, and what the ranks wait for."""
    event, other = divergence.event, divergence.sides[1].event
    if event.effect == Effect.CONSTRUCT:
        return Severity.ERROR, "it broadcasts the parameters and needs every rank"
    if event.effect == Effect.BACKWARD:
        return Severity.ERROR, "it averages gradients with every rank"
    if _hangs_on_stage(divergence, walks):
        return Severity.WARNING, "where ZeRO's third stage shards the parameters, it gathers them from every rank"
    if event.effect != Effect.FORWARD or event.details.get("engine"):
        return Severity.ERROR, "it communicates with every rank"
    if _is_followed(divergence, walks):
        return Severity.ERROR, "the backward pass that follows averages gradients with every rank"
    buffers = event.details.get("buffers")
    if not event.details.get("no_grad"):
        if buffers is False:
            return Severity.WARNING, "with gradients on, one right after the first backward pass needs every rank"
        return Severity.ERROR, "with gradients on it broadcasts its buffers and needs every rank"
    if buffers and (other is None or other.effect != Effect.FORWARD):
        return Severity.ERROR, "it broadcasts its buffers and needs every rank"
    text = "it broadcasts its buffers" if buffers else "it broadcasts its buffers, if it has any"
    if divergence.meeting.outcome is Outcome.MEETS:
        return Severity.WARNING, f"{text}, and that the others' next step is a forward pass too is all that saves it"
    return Severity.WARNING, f"{text}, and waits unless every rank's next step is a forward pass too"


def _hangs_on_stage(divergence: Divergence, walks: Sequence[Walk]) -> bool:
    """Whether it is the forward of a DeepSpeed engine alone, whose stage of ZeRO is up to the configuration."""
    forward = divergence.event.effect == Effect.FORWARD and "deepspeed" in divergence.event.name
    return forward and not _is_followed(divergence, walks)


def _is_followed(divergence: Divergence, walks: Sequence[Walk]) -> bool:
    """Whether a backward pass belongs to it: one that the others do not make as well on their way."""
    mine, theirs = divergence.sides
    ours, others = (_backward(replace(divergence, sides=sides), walks) for sides in ((mine, theirs), (theirs, mine)))
    return ours > others


def _backward(divergence: Divergence, walks: Sequence[Walk]) -> int:
    beside = reporting.beside(divergence, walks)
    return sum(one.effect == Effect.BACKWARD and bool(one.details.get("wrapped")) for one in beside)
