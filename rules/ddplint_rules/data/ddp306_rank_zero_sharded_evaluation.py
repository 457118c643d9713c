"""DDP306 rank-zero-sharded-evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Const, Event, Finding, GuardKind, Harm, Note, Place, Reason, Rule, Severity, Walk
from ddplint.rule.code import tree_of
from ddplint.rule.facts import ends_in_raise, made_by, passes
from ddplint_rules.common import reporting

_BOUNDS = frozenset({GuardKind.COMPREHENSION, GuardKind.FOR, GuardKind.WHILE})
"""Loops that some ranks run more often than others: each of them gets there, only not as often."""


class RankZeroShardedEvaluation(Rule):
    """## What it does
    Finds an evaluation on one rank over a loader with a `DistributedSampler`, which gives that rank only its own
    shard.

    ## Why is this bad
    The sampler deals the data out to all ranks, whoever asks: measured, rank 0 of 4 gets the samples `[0, 4, 8]` of
    10. What is reported as the accuracy on the whole set is that on a quarter of it, and nobody evaluates the rest.
    Nothing raises or hangs.

    No public thread was found.

    ## Example
    ```python
    val_loader = DataLoader(val_set, sampler=DistributedSampler(val_set, shuffle=False))
    if rank == 0:
        evaluate(model.module, val_loader)
    ```

    ## Use instead
    ```python
    val_loader = DataLoader(val_set)
    if rank == 0:
        evaluate(model.module, val_loader)
    ```

    ## Fix safety
    There is no automatic fix: either the loader loses its sampler, or all ranks evaluate and their results are
    reduced.
    """

    code = "DDP306"
    name = "rank-zero-sharded-evaluation"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        everywhere = {found.sampler.id for found in passes(walk) if found.event.by_all}
        arms = _arms(walk)
        for found in passes(walk):
            event, sampler = found.event, found.sampler
            apart = [guard for guard in event.guards if guard.reason is Reason.IDENTITY and guard.origins]
            if any(guard.guess or guard.kind in _BOUNDS for guard in event.guards):
                continue
            if event.by_all or not apart or _ends_there(event) or arms[id(apart[-1].node)].issuperset(event.everyone):
                continue
            if sampler.id in everywhere or sampler.argument(1, "num_replicas") == Const(1):
                continue
            made = made_by([walk], sampler)
            notes = [Note("guard", Place(apart[-1].file, apart[-1].node), "only some ranks enter")]
            if made is not None:
                notes.append(Note("origin", Place.of(made), "the sampler that shares the data out"))
            ranks = reporting.who(event.ranks)
            text = f"only {ranks} goes through this loader, which holds one shard of the data"
            yield self.finding(
                Place.of(event),
                text,
                notes=tuple(notes),
                no_fix="evaluate on a loader without the sampler, or on all ranks and reduce the results",
            )


def _arms(walk: Walk) -> dict[int, set[int]]:
    """Which ranks go through shards in one arm of a test or in the other, by the tests: all of them may evaluate so."""
    found: dict[int, set[int]] = {}
    for event in (one.event for one in passes(walk)):
        for guard in event.guards:
            found.setdefault(id(guard.node), set()).update(event.ranks)
    return found


def _ends_there(event: Event) -> bool:
    """Whether the ranks that get there end the program behind it: a look at the data, not an evaluation."""
    blocks = [one for one in tree_of(event.file.module).ancestors(event.node) if isinstance(one, cst.If)]
    return any(ends_in_raise(one.body) for one in blocks)
