"""DDP111 unequal-shapes."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Because,
    Effect,
    Event,
    Finding,
    Harm,
    Place,
    Reason,
    Rule,
    Severity,
    Tuple,
    Value,
    Varying,
    Walk,
)
from ddplint.rule.facts import is_padded_by_itself, shaped_by_each, stacked_unevenly
from ddplint.rule.knowledge import load_knowledge
from ddplint.rule.notes import came_from


class UnequalShapes(Rule):
    """## What it does
    Finds a gather of tensors whose shape surely depends on each rank's own data: `x[mask]`, `masked_select`, `nonzero`,
    `unique`, or the texts of `model.generate`, handed to `all_gather` (of torch, Lightning or another library, or to
    `accelerator.gather`) without padding: what pads or cuts them, here or in a helper, is another value. Also tensors
    with one element for each token of a batch that each rank pads for itself: `batch["attention_mask"]`, or
    `logits[:, :-1]` and `labels[:, 1:]`. And a gather or reduction of what was stacked from a list or dictionary that
    ranks have filled unequally, each as its data says.

    `all_gather_object` may carry any shape and is not reported, nor is Horovod's `allgather`, which exchanges the
    sizes first.

    ## Why is this bad
    `all_gather` needs equal shapes and does not check them. Measured on gloo with torch 2.13, two elements on one rank
    and three on the other: the smaller side was aborted ("Received data size doesn't match expected size") without a
    Python traceback, and once the other rank had returned **uninitialised memory** before that. An `all_reduce` of 2×3
    and 3×2 elements passes silently. NCCL (2.28, torch 2.11) compares no sizes: in `fixtures/ragged_gather` rank 0,
    with another number of elements than rank 1, went on with wrong values to its end; rank 1 waited for the watchdog.

    See NVIDIA/nccl#1417 (different shapes in an all-reduce) and Lightning-AI/torchmetrics#3199.

    ## Example
    ```python
    kept = scores[scores > threshold]
    dist.all_gather(parts, kept)
    ```

    ## Use instead
    ```python
    kept = scores[scores > threshold]
    dist.all_gather_object(parts, kept.cpu())
    ```

    ## Fix safety
    There is no automatic fix: pad to the largest size and cut afterwards, or gather objects.
    """

    code = "DDP111"
    name = "unequal-shapes"
    severity = Severity.WARNING
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            parted = any(guard.reason in (Reason.DATA, Reason.LENGTH) for guard in event.guards)
            uneven = stacked_unevenly(_given(event)) if event.effect == Effect.COLLECTIVE and not parted else None
            if uneven is not None:
                yield self._stacked(event, uneven)
                continue
            given = _given(event) if event.effect == Effect.COLLECTIVE and "gather" in event.name else None
            several = given.items if isinstance(given, Tuple) else (given,)
            own = next((one for value in several if (one := shaped_by_each(value)) is not None), None)
            if own is not None:
                yield self._own(event, own)
            if not event.group and any(is_padded_by_itself(event, one) for one in several):
                yield self._padded(event)

    def _own(self, event: Event, given: Varying) -> Finding:
        return self.finding(
            Place.of(event),
            f"{event.label} of a tensor whose shape differs between ranks",
            because=Because.OWN_VALUE,
            notes=tuple(came_from(given, "as many elements as this rank's data has")),
            no_fix="pad to the largest size first, or gather objects",
        )

    def _stacked(self, event: Event, given: Varying) -> Finding:
        return self.finding(
            Place.of(event),
            f"{event.label} of a tensor with as many parts as this rank has found",
            because=Because.OWN_VALUE,
            notes=tuple(came_from(given, "it has found them here")),
            no_fix="begin with all keys on every rank, or reduce the parts to one number each first",
        )

    def _padded(self, event: Event) -> Finding:
        return self.finding(
            Place.of(event),
            f"{event.label} of a tensor that is as long as the longest text of this rank's batch",
            because=Because.OWN_VALUE,
            no_fix="gather what is left after summing over the tokens, or pad to one length on all ranks first",
        )


def _given(event: Event) -> Value | None:
    """The tensor that a rank brings to an operation that needs one shape on all; ``None`` for others."""
    if event.api is None or event.name not in load_knowledge().quiet("equal_shapes"):
        return None
    filled_first = event.api.uniform.startswith("arg:") and "all_gather" in event.name
    position = 1 if filled_first else 0
    return event.args[position] if position < len(event.args) else event.kwargs.get("tensor")
