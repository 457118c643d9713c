"""DDP602 no-sync-on-last-step."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related

_REPLICATED = (
    "the last pass before the step is not reduced (no_sync): every rank steps with gradients of its own",
    "let the micro-batch before the step run without no_sync",
)
_SHARDED = (
    "the reduction is switched off for the last pass before the step: its gradients are not part of the step",
    "call set_requires_gradient_sync(True) before the micro-batch that a step follows",
)


class NoSyncOnLastStep(Rule):
    """## What it does
    Finds gradient accumulation whose last backward pass before `optimizer.step()` belongs to a forward pass under
    `no_sync()`, or runs after `set_requires_gradient_sync(False)` of a model behind `fully_shard`. Also gradients that
    are clipped after each micro-batch, while they pile up on each rank: behind a pass under `no_sync`, or in
    `with accelerator.accumulate(model)` without asking for `accelerator.sync_gradients`. That is a warning.

    ## Why is this bad
    `no_sync` keeps gradients local until the next pass outside it, which reduces everything that has piled up. If
    the micro-batch right before the step is inside, nothing is reduced, and every rank steps with its own sum:
    measured, two micro-batches, the second under `no_sync`: gradient 2.5 on rank 0 and 3.5 on rank 1; the other way
    round 3.0 on both. Nothing raises. What counts is the **forward** pass: measured, with the forward under
    `no_sync` and the backward outside nothing was reduced either (1.0 and 2.0), and with only the backward under it
    everything was (1.5).

    Of a model behind `fully_shard` the pass that is not reduced is left out of the step, alike on all ranks: measured,
    two micro-batches, the second with the reduction switched off: a sum of gradients of -0.3643 in place of -0.7285.
    What has piled up is reduced with the next round, a step too late.

    Clipped after each of two micro-batches, the norms of the first were 0.794 and 14.883 on the two ranks, and 2.703
    and 64.185 with accelerate 1.15.0: each cuts what it has by another factor, and cuts it again with the second. After
    three steps a layer's sum was -1.2938 in place of -1.1867.

    It happened in modelscope/FunASR#3472 (the first micro-batch was reduced instead of the last) and
    karpathy/build-nanogpt#30.

    ## Example
    ```python
    with model.no_sync() if (i + 1) % accumulate == 0 else nullcontext():
        model(x).loss.backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
    ```

    ## Use instead
    ```python
    with model.no_sync() if (i + 1) % accumulate != 0 else nullcontext():
        model(x).loss.backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
    ```

    ## Fix safety
    There is no automatic fix.
    """

    code = "DDP602"
    name = "no-sync-on-last-step"
    severity = Severity.ERROR
    otherwise = "A warning for gradients that are clipped before they are reduced."
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.passes import clipped_unreduced, is_fully_sharded, unsynchronised_steps

        for backward, step in unsynchronised_steps(walk):
            text, no_fix = _SHARDED if is_fully_sharded(backward) else _REPLICATED
            yield self.finding(
                Place.of(backward),
                text,
                notes=(related(step, "the step with gradients nobody reduced"),),
                no_fix=no_fix,
            )
        for backward, clip in clipped_unreduced(walk):
            yield self.finding(
                Place.of(clip),
                "these gradients are not always reduced yet: every rank clips its own, by a norm of its own",
                severity=Severity.WARNING,
                because=Because.ORDER_OF_USE,
                notes=(related(backward, "their backward pass"),),
                no_fix="clip right before the step, once the gradients are reduced (accelerator.sync_gradients)",
            )
