"""DDP114 group-may-not-exist."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ddplint.rule import Because, Event, Finding, Harm, Note, Place, Rule, Safety, Severity, Walk
from ddplint.rule.code import Site
from ddplint.rule.fixes import CannotBuild, Edit, guard_statements, offer
from ddplint.rule.notes import related

_TITLE = "Ask whether there is a group"


class GroupMayNotExist(Rule):
    """## What it does
    Finds a barrier (or another operation of `torch.distributed`) that nothing asks about, in a program that goes on
    without a process group where it was not started by a launcher: its function for the start returns early then, or
    stands behind an option, and other places ask first (`if args.distributed:` around the wrapper), or the other arm
    of that test sets the device or the rank of one process in the place of what it sets beside the group. Such
    tests are known by their values, too: a variable of the launcher under any name, or what the function for the start
    gives back.

    What is behind any test that may be about the kind of run, and what comes after a call that would have failed
    before, is not reported.

    ## Why is this bad
    `python train.py` on one device dies there, often after the first epoch, when its results are about to be saved.
    Measured with torch 2.13 in a process without a group: `dist.barrier()` raised `ValueError: Default process group
    has not been initialized, please make sure to call init_process_group.` at once.

    It happened in salesforce/LAVIS#58, salesforce/ALBEF#139, VectorSpaceLab/OmniGen#71 and lifeiteng/vall-e#120.

    ## Example
    ```python
    if args.distributed:
        dist.init_process_group("nccl")
        model = DDP(model)
    train(model)
    dist.barrier()
    ```

    ## Use instead
    ```python
    if args.distributed:
        dist.init_process_group("nccl")
        model = DDP(model)
    train(model)
    if dist.is_initialized():
        dist.barrier()
    ```

    ## Fix safety
    Unsafe: with a group nothing changes, but a process without one goes on where it died, also one of several whose
    group was not made by mistake. Offered where the operation is a statement of its own.
    """

    code = "DDP114"
    name = "group-may-not-exist"
    severity = Severity.WARNING
    harm = Harm.CRASH

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.divergence._helpers.plain_runs import unready

        for found in unready(walk):
            event, init = found.event, found.init
            yield self.finding(
                Place.of(event),
                f"{event.label} in a run of one process, too, which this program starts without a group",
                because=Because.NAMED_SO,
                notes=(
                    related(init, "the group is made here, in some runs only"),
                    Note("related", found.meant, "runs of one process go on here"),
                ),
                answer=offer(_TITLE, Safety.UNSAFE, partial(_asked_first, event), together=True),
                mistake=f"{init.file.real_path} {init.file.range_of(init.node).start_line}",
            )


def _asked_first(event: Event) -> tuple[Edit, ...]:
    site = Site(event.file, event.node)
    if not isinstance(site.tree.parent(event.node), cst.Expr):
        raise CannotBuild("ask is_initialized() first, and say what one process has instead of the result")
    asked = site.name("torch.distributed.is_initialized")
    return (*guard_statements(site, (site.statement,), cst.Call(asked.expression)), *asked.edits)
