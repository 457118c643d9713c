"""DDP608 part-behind-wrapper."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class PartBehindWrapper(Rule):
    """## What it does
    Finds a layer or a parameter that takes the place of another one in a model which is wrapped already
    (`model.module.head = nn.Linear(64, 100)`, `model.module.layers[0] = …`), or is added to it and used, and is trained
    by all ranks. The model is behind `DistributedDataParallel` or `fully_shard`, or comes from `accelerator.prepare`.

    Also a layer that is trained together with a wrapped one and stands beside every wrapper
    (`encoder = DistributedDataParallel(encoder)`, and a plain `head` behind it; `fully_shard` of the layers and not of
    the model): a warning. And parameters that were not to be trained when `DistributedDataParallel` got the model
    (`requires_grad = False`), and are from then on.

    What is frozen or detached, what the wrapper has seen in another place of the model, and models that are wrapped
    once more before they are trained are not reported, nor is what stands beside a wrapper where the loop exchanges
    something else that may be gradients or features.

    ## Why is this bad
    A wrapper looks at the parameters once, when it is made. Measured on gloo with two processes and torch 2.13, a new
    last layer behind the wrapper, four steps:

    - `DistributedDataParallel`: the second forward pass raises "Expected to have finished reduction in the prior
      iteration", for the parameters that were taken out have no gradients. With `find_unused_parameters=True` nothing
      is raised, and nobody averages the gradients of the new layer: its sums were 0.8185 and 0.9641.
    - `fully_shard`: nothing is raised, and the same numbers come out.
    - One of two layers wrapped, with either wrapper: the sums of the other were 0.3991 and 0.6351 (0.4977 on both with
      a wrapper around the model).

    - A layer that was unfrozen behind `DistributedDataParallel`, with or without `find_unused_parameters=True`: its
      sums were -1.4762 and -1.3487, and -1.4105 on both where the model was wrapped anew. `fully_shard` and
      `FullyShardedDataParallel(model, use_orig_params=True)` average it (-1.4105 on both).

    An optimizer that was made before has the old parameters, too, and trains those.

    In pytorch/pytorch#12603 a weight that was set behind the wrapper was taken for a fault of the backend.
    Lightning-AI/pytorch-lightning#20340 unfreezes a backbone.

    ## Example
    ```python
    model = DistributedDataParallel(model)
    model.module.head = nn.Linear(64, 100)
    ```

    ## Use instead
    ```python
    model.head = nn.Linear(64, 100)
    model = DistributedDataParallel(model)
    ```

    ## Fix safety
    There is no automatic fix: where the model changes in the middle of the training, its wrapper and its optimizer have
    to be made anew, with new weights that are the same on all ranks.
    """

    code = "DDP608"
    name = "part-behind-wrapper"
    severity = Severity.ERROR
    otherwise = "A warning for what stands beside a wrapper: a program may average it in a way that is not seen."
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.replaced_parts import replaced_parts

        for found in replaced_parts(walk):
            change, backward = found.change, found.backward
            wrapped = getattr(found.wrapped.site, "node", None)
            made = next((one for one in walk.events if one.node is wrapped), None) if wrapped is not None else None
            notes = [related(made, "wrapped here")] if made is not None else []
            yield self.finding(
                Place.of(change),
                "the wrapper knows nothing of these parameters: nobody averages their gradients over the ranks",
                because=Because.ORDER_OF_USE,
                notes=(*notes, related(backward, "every rank trains them here")),
                no_fix="change the model before it is wrapped, or wrap it anew",
            )
        yield from self._beside(walk)
        yield from self._thawed(walk)

    def _thawed(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.thawed_parts import thawed_parts

        for found in thawed_parts(walk):
            yield self.finding(
                Place.of(found.thaw),
                "the wrapper left these parameters out, because they were frozen: nobody averages their gradients",
                because=Because.ORDER_OF_USE,
                notes=(
                    related(found.wrapped, "wrapped here"),
                    related(found.backward, "every rank trains them here"),
                ),
                no_fix="wrap the model anew, or have them trained from the beginning with a learning rate of 0",
            )

    def _beside(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.beside import beside

        for found in beside(walk):
            wrapped, call, backward = found.wrapped, found.call, found.backward
            yield self.finding(
                Place.of(wrapped),
                "only a part of what is trained together is wrapped: nobody averages the gradients of the rest",
                severity=Severity.WARNING,
                because=Because.ORDER_OF_USE,
                notes=(
                    related(call, "no wrapper knows of this module"),
                    related(backward, "every rank trains it here"),
                ),
                no_fix="wrap the model that holds both, or reduce the gradients of the rest yourself",
            )
