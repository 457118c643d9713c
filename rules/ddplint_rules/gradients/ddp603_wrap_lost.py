"""DDP603 wrap-lost."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class WrapLost(Rule):
    """## What it does
    Finds a wrapped model that is lost before training: the result of `DistributedDataParallel(model)` is not kept,
    it is kept under a name that nothing reads (`self.mode`, for `self.model`), or `model = model.module` takes the
    wrapper off again.

    ## Why is this bad
    Wrapping gives a new module and leaves the old one as it was. Training then runs on the plain model, without any
    reduction of gradients: the replicas drift apart silently (measured, -0.83 and -1.66 after the same step).

    It happened in NCAR/miles-credit#153 and kohya-ss/sd-scripts#924.

    ## Example
    ```python
    DistributedDataParallel(model)
    train(model)
    ```

    ## Use instead
    ```python
    model = DistributedDataParallel(model)
    train(model)
    ```

    ## Fix safety
    There is no automatic fix: what else uses the plain model (its state dict, its methods) has to be looked at.
    """

    code = "DDP603"
    name = "wrap-lost"
    severity = Severity.ERROR
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.passes import bypasses
        from ddplint_rules.gradients._helpers.rebinding import dropped, rebound, unread

        for event in dropped(walk):
            text = "the wrapped model is not kept: training runs on the plain one, and no gradient is reduced"
            yield self.finding(Place.of(event), text, no_fix="assign it, and train what it gives")
        made = unread(walk)
        for found in bypasses(walk):
            notes = (related(found.forward, "trained without the wrapper"),)
            if made is not None:
                text = "the wrapped model is kept where nothing reads it: training runs on the plain one"
                yield self.finding(Place.of(made), text, notes=notes, no_fix="train what it gives")
                return
            place = rebound(found.forward)
            if place is not None:
                text = "the wrapper is taken off before training: no gradient is reduced"
                yield self.finding(place, text, notes=notes, no_fix="give the plain model another name")
