"""DDP106 uneven-loop."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Divergence, Finding, Harm, Rule, Severity, Walk
from ddplint.rule.code import Site
from ddplint_rules.common import reporting


class UnevenLoop(Rule):
    """## What it does
    Finds a loop with collectives, or with the forward or backward pass of a wrapped model, whose number of iterations
    differs between ranks: over `items[rank::world_size]`, over iterable data sharded unevenly, over a list or dict that
    each rank filled for itself, over what only some ranks have filtered (`if rank == 0: rows = rows.filter(...)`).

    A `DistributedSampler` gives every rank the same number of batches and is not reported (38,400 combinations of
    length, world size and `drop_last` were tried), nor are loops inside `Join`, nor what happens up to an iteration
    that all ranks reach (`if index < least`). Evaluation (no gradients) of a model that may or may not have buffers,
    each rank on its part of the data, is a warning: without buffers nothing happens.

    ## Why is this bad
    The rank with one iteration more waits alone in its last one, or pairs with whatever the others call next. Measured
    on gloo with torch 2.13, seven items on two ranks:

    - `for item in items[rank::2]: all_gather(...)`: rank 0's fourth call hangs, or fails when the other rank ends.
    - One more `all_gather` after the loop met the surplus one: rank 0's loop gathered `1001` as its last item, and the
      call after the loop returned `[6, 1001]` instead of `[1000, 1001]`. No error.
    - Three against four batches through DDP: the longer rank waits in `backward()`.

    See huggingface/datasets#6437 (`split_dataset_by_node`), Lightning-AI/litData#233,
    Lightning-AI/pytorch-lightning#20404, pytorch/pytorch#141069 and microsoft/PyMarlin#80.

    ## Example
    ```python
    for path in paths[rank::world_size]:
        dist.all_gather_object(parts, encode(path))
    ```

    ## Use instead
    ```python
    each = len(paths) // world_size
    for path in paths[rank::world_size][:each]:
        dist.all_gather_object(parts, encode(path))
    ```

    ## Fix safety
    There is no automatic fix, because dropping or repeating items is your decision: cut to the smallest count, pad,
    use `DistributedSampler`, or wrap training in `torch.distributed.algorithms.join.Join`, which covers what takes part
    in it (DDP, `ZeroRedundancyOptimizer`) but not an `all_reduce` of your own (that aborted).
    """

    code = "DDP106"
    name = "uneven-loop"
    severity = Severity.ERROR
    otherwise = (
        "A warning where the loop communicates only if the model has buffers, where ranks have different jobs, and "
        "where the analysis came to a limit."
    )
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        mine = [*reporting.of(self, [walk])]
        within = {id(one.guard.node) for one in mine if _is_within(one)}
        for divergence in mine:
            if _is_within(divergence) or id(divergence.guard.node) not in within:
                perhaps = reporting.may_hand_out(divergence.event)
                message = f"{divergence.event.label} in a loop whose number of iterations differs between ranks"
                if perhaps:
                    message += ": it broadcasts its buffers, if it has any, and then every rank must take part"
                yield reporting.reported(
                    self,
                    divergence,
                    message,
                    severity=Severity.WARNING if perhaps else Severity.ERROR,
                    no_fix="make the numbers of iterations equal (drop_last, a reduced count) or wrap the loop in Join",
                )


def _is_within(divergence: Divergence) -> bool:
    """Whether the operation is one of the loop, and not one behind it that ranks come to at different times."""
    loop, anchor = divergence.guard.statement, divergence.anchor
    if anchor.file is not divergence.guard.file:
        return False
    return any(node is loop for node in Site(anchor.file, anchor.node).tree.ancestors(anchor.node))
