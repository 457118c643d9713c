"""DDP601 forward-bypasses-wrapper."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Because, Effect, Event, Finding, Fix, Frame, Harm, Place, Rule, Safety, Severity, Walk
from ddplint.rule.fixes import Replace
from ddplint.rule.notes import related


class ForwardBypassesWrapper(Rule):
    """## What it does
    Finds a training loop whose loss is computed through `model.module`, or through the model as it was before it
    was wrapped, although there is a DistributedDataParallel wrapper. Also models in a dict, or in an object of nothing
    but its attributes, which `accelerator.prepare` hands back as it is: nothing in it is wrapped. And wrappers around
    what has no forward (a `ModuleList` of adapters): nobody can call them.

    ## Why is this bad
    The wrapper's forward pass is what arms the reduction of the gradients. Without it every rank steps with its own
    gradients, and the replicas drift apart silently: measured, -0.83 on one rank and -1.66 on the other after the
    same step, exit code 0, and weights that differ after three steps behind a wrapped `ModuleList`. If a forward pass
    through the wrapper came before (an evaluation), the hooks are armed and the backward pass may hang instead.

    It happened in k2-fsa/icefall#226, jingyaogong/minimind#853 and OpenTSLM/OpenTSLM#49.

    ## Example
    ```python
    loss = criterion(model.module(x), y)
    loss.backward()
    ```

    ## Use instead
    ```python
    loss = criterion(model(x), y)
    loss.backward()
    ```

    ## Fix safety
    Unsafe: the gradients are averaged over the ranks from then on, which is its purpose.
    """

    code = "DDP601"
    name = "forward-bypasses-wrapper"
    severity = Severity.ERROR
    otherwise = "A warning where `prepare()` hands back what only holds modules."
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        yield from self._handed_back(walk)
        from ddplint_rules.gradients._helpers.passes import bypasses, never_run, steps_after
        from ddplint_rules.gradients._helpers.rebinding import none_kept, rebound, unread

        for made, backward in never_run(walk):
            yield self.finding(
                Place.of(made),
                "what is wrapped here has no forward: nobody can call the wrapper, so gradients are never reduced",
                notes=(related(backward, "each rank keeps its own"),),
                no_fix="wrap the model that computes the loss, what is not trained frozen, and call the wrapper",
            )
        if none_kept(walk) or unread(walk) is not None:
            return
        for found in bypasses(walk):
            event = found.forward
            if rebound(event) is not None or not steps_after(found.backward):
                continue
            fix = _fix(event)
            yield self.finding(
                Place.of(event),
                "the loss is computed past the DDP wrapper: its gradients are never reduced",
                notes=(related(found.backward, "each rank keeps its own"),),
                fix=fix,
                no_fix=""
                if fix is not None
                else "call the wrapped model, and move what is called here into its forward",
            )

    def _handed_back(self, walk: Walk) -> Iterator[Finding]:
        """Training of modules in a dict that ``prepare`` was given, and gave back as it was."""

        for event in walk.events:
            given: Frame | None = event.details.get("handed_back") if event.effect == Effect.BACKWARD else None
            if given is None or not walk.run_together(event):
                continue
            yield self.finding(
                Place.of(given),
                "prepare() hands back what only holds modules as it is: their gradients are never reduced",
                severity=Severity.WARNING,
                because=Because.LIBRARY,
                notes=(related(event, "each rank keeps its own"),),
                no_fix="prepare each module by itself",
            )


def _fix(event: Event) -> Fix | None:
    """``model.module(x)`` to ``model(x)``."""
    call = event.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "module":
        return None
    return Fix("Call the wrapper", Safety.UNSAFE, (Replace(event.file, call.func, call.func.value),))
