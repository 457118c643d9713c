"""DDP402 slow-rank-zero-work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Because, Finding, Harm, Note, Outcome, Place, RankAction, Rule, Severity, Walk
from ddplint.rule.notes import related
from ddplint_rules.common import reporting

if TYPE_CHECKING:
    from ddplint_rules.runtime._helpers.slow_work import Wait


_REMEDY = (
    "do it before the job starts, raise the timeout at init, or wait in a group with its own longer timeout "
    "(on NCCL one that was used before)"
)


class SlowRankZeroWork(Rule):
    """## What it does
    Finds work that is known to be long (tokenising or filtering a data set, fetching a whole repository, converting
    a checkpoint) on some ranks while the others already wait for them in a collective, and names the timeout that
    bounds their wait. Work in a main-process-first block, which others repeat from a cache, is advice. It is
    reported where the program sets a timeout of less than an hour itself, a pass over a loader on one rank, or a loop
    of a hundred forward passes or more, where it sets less than five minutes, and all of these otherwise only with
    `min-confidence = "low"`. A timeout of less than two minutes is reported where one rank saves a model, runs over a
    loader or starts a tracker by itself.

    ## Why is this bad
    The waiting ranks give up when the timeout of the group is over, and the whole job is torn down although nothing
    is wrong. Measured with a timeout of 6 seconds and 9 seconds of work on rank 0: the other rank failed in its
    next `all_reduce` after 6 seconds, and with a barrier behind the work it failed **in the barrier** after 6
    seconds. `monitored_barrier(timeout=20s)` did not help either (the others wait for rank 0 with the group's
    timeout), nor did `barrier(async_op=True).wait(20s)`. A barrier on `new_group(timeout=20s)` and, in torch 2.13,
    `barrier(timeout=timedelta(seconds=20))` did, on gloo. On NCCL a group's own timeout counts from its
    second operation on: with its first one the others ask the store for what rank 0 puts there, and gave up after the
    10 seconds of `init_process_group` though the group had an hour. It passed where the group had been used once
    before the work, was made with `backend="gloo"`, or `init_process_group` had got a `device_id` (torch 2.11, NCCL
    2.28).

    It is the largest class of resolved reports of hangs: hiyouga/LlamaFactory#2424, hiyouga/LlamaFactory#360,
    axolotl-ai-cloud/axolotl#921 (environment variables tried in vain), huggingface/accelerate#314,
    mosaicml/composer#2071, JIA-Lab-research/LongLoRA#45.

    ## Example
    ```python
    dist.init_process_group("nccl")
    if rank == 0:
        dataset = dataset.map(tokenize)
    dist.barrier()
    ```

    ## Use instead
    ```python
    dist.init_process_group("nccl", timeout=timedelta(hours=2))
    if rank == 0:
        dataset = dataset.map(tokenize)
    dist.barrier()
    ```

    ## Fix safety
    There is no automatic fix: how long the work takes is not in the source.
    """

    code = "DDP402"
    name = "slow-rank-zero-work"
    severity = Severity.WARNING
    otherwise = "Advice where the wait comes first in the program, before anything was trained."
    harm = Harm.CRASH

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.runtime._helpers.slow_work import tight, waits

        found = list(waits(walks))
        for wait in found:
            yield self._reported(wait)
        short = tight(walks) if not found else None
        if short is not None:
            yield self._short(short)

    def _short(self, wait: Wait) -> Finding:
        """A timeout that ordinary work of one rank may outlast."""
        made = wait.limit.event
        assert made is not None
        who = reporting.who(wait.work.ranks)
        text = f"{wait.limit.text} bounds what {who} may do alone while the others wait (here: {wait.work.label})"
        notes = [related(wait.place, "the others wait for this")]
        remedy = "give the group more time than the longest work of one rank: saving, evaluating, fetching data"
        return self.finding(Place.of(made), text, because=Because.DURATION, notes=tuple(notes), no_fix=remedy)

    def _reported(self, wait: Wait) -> Finding:
        doing, others = tuple(sorted(wait.busy)), tuple(sorted(wait.wait.ranks - wait.busy))
        what = wait.called
        text = f"{what} on {reporting.who(doing)} while the others wait, at most {wait.limit.text}"
        place = Place.of(wait.place)
        return self.finding(
            place,
            text,
            severity=Severity.ADVICE if wait.first else self.severity,
            because=Because.DURATION if wait.limit.own or (wait.known and not wait.first) else Because.PERHAPS_SHORT,
            notes=_notes(wait),
            outcome=Outcome.LATE,
            actions=(
                RankAction(doing, what, place),
                RankAction(
                    others,
                    wait.wait.label,
                    Place.of(wait.at),
                    "← they wait here",
                    waits=True,
                    operation=reporting.operation(wait.wait),
                ),
            ),
            no_fix=_REMEDY,
        )


def _notes(wait: Wait) -> tuple[Note, ...]:
    notes = []
    if wait.place.node is not wait.work.node:
        notes.append(Note("call", Place.of(wait.work), "the long work"))
    event = wait.limit.event
    if event is not None:
        notes.append(related(event, "the group whose timeout applies"))
    return tuple(notes)
