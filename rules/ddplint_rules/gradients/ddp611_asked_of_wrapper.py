"""DDP611 asked-of-wrapper."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk, once
from ddplint.rule.facts import Asked, asked_of_wrapper
from ddplint.rule.notes import led_here, related


class AskedOfWrapper(Rule):
    """## What it does
    Finds an attribute or a method of the model that is asked of its `DistributedDataParallel`.

    What a program asks for first (`hasattr`), what stands in a `try` that takes the error, or in an arm of a test whose
    other arm asks `model.module`, is not reported; nor is what may be set on the wrapper under a name that nobody sees
    (`setattr`), nor a model of `accelerator.prepare`, which FSDP or DeepSpeed may have wrapped: these pass it on. Where
    the accelerator is given `DistributedDataParallelKwargs`, and no file on the way speaks of the others, it is a
    warning.

    ## Why is this bad
    The wrapper has what every module has, and `module`. It passes on nothing else. A program that wraps its model only
    where there are several processes runs on one, and raises on all ranks of several. Measured with two processes on
    gloo and torch 2.13: `AttributeError: 'DistributedDataParallel' object has no attribute 'width'`.

    It happened in lucidrains/imagen-pytorch#206. Commits that repaired it: lifeiteng/vall-e@7d6b721,
    klei22/nanoGPT@83cbd9f.

    ## Example
    ```python
    model = DistributedDataParallel(model)
    print(model.width)
    ```

    ## Use instead
    ```python
    model = DistributedDataParallel(model)
    print(model.module.width)
    ```

    ## Fix safety
    There is no automatic fix: what asks `model.module` fails in its turn where nothing is wrapped.
    """

    code = "DDP611"
    name = "asked-of-wrapper"
    severity = Severity.ERROR
    otherwise = "A warning where an option decides whether ranks come there, and for a model that was prepared."
    harm = Harm.CRASH

    def check(self, walk: Walk) -> Iterator[Finding]:
        alike: dict[tuple[object, str], list[Asked]] = {}
        for found in once(asked_of_wrapper(walk), lambda one: one.event.node):
            alike.setdefault((found.made.node, found.event.label), []).append(found)
        for first, *others in alike.values():
            event, made = first.event, first.made
            yield self.finding(
                Place.of(event),
                f"DistributedDataParallel passes on no attribute of its model: {event.label} raises AttributeError",
                severity=self.severity if first.sure else Severity.WARNING,
                because=Because.AS_WRITTEN,
                notes=(
                    related(made, "wrapped here"),
                    *led_here(event),
                    *(related(other.event, "the same") for other in others),
                ),
                no_fix=f"ask the model inside (`.module.{event.label}`) where there is a wrapper",
            )
