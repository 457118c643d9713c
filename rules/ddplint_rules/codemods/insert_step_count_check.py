"""The codemod step-count-check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Answer, Codemod, Finding, Place, Safety, Walk
from ddplint.rule.fixes import offer

if TYPE_CHECKING:
    from ddplint_rules.codemods._helpers.batch_loops import BatchLoop


class StepCountCheck(Codemod):
    """## What it does
    `ddplint --insert step-count-check train.py` puts a check behind each loop over batches in which all ranks compute
    gradients, step an optimizer or communicate: the ranks gather how many iterations each of them had, and where the
    numbers differ *every* rank raises, with the numbers of all of them. A counter of your own that is set to 0 above
    the loop and counted up in every iteration is used; otherwise one is added. Without a process group, and
    with one process, it does nothing. It needs nothing but torch.

    ## What it is good for
    Ranks that lose count of each other do not always hang where it happens. The check turns the silent cases into an
    error in the epoch in which it happens:

    - loops that do not communicate: local steps between rare reductions, accumulation under `no_sync()`, gradients
      that are reduced by hand after the loop. Measured on gloo with 12 and 10 batches and one averaging of the
      parameters per epoch: without the check all epochs end and the ranks have trained on unequal shares; with it
      both raise at the end of the first epoch: `the ranks had different numbers of steps: rank 0: 12, rank 1: 10`
      (`pytest -m torchrun tests/inserting/test_step_counts_in_runs.py`);
    - loops that are left early by some ranks (`break` on a local condition) with no communication in between;
    - schedules that count steps on each rank, and so drift apart.

    **It does not cure a loop in which every iteration communicates**, such as a training step through DDP. There the
    rank with more iterations waits in a backward pass for the other, which is in the check. Measured on gloo with DDP,
    12 and 10 batches and two epochs: without the check the two batches too many of rank 0 pair up with the next epoch
    of rank 1, which ends as if nothing had happened, and rank 0 then waits for it with four batches left. With the
    check both ranks stop in the first epoch when the time limit of the group is over; the stack of rank 1 names the
    check, but neither shows the counts. What helps there is equal shares, `Join`, or an agreed end (DDP106 finds such
    loops where it can see the shares).

    Loops that only evaluate are left alone unless they communicate, because unequal shares are right there as long as
    the sums are reduced afterwards. So are loops under `Join`, which are meant to be unequal.

    ## Example
    ```python
    for epoch in range(epochs):
        steps = 0
        for batch in loader:
            steps += 1
            train_step(batch)
        check_step_counts(steps)
    ```

    The function `check_step_counts` is put into the file; it is plain code to keep, move or change.

    ## Safety
    One more collective per epoch, in the default group; a program whose ranks have unequal numbers of steps on
    purpose now stops. A place is only changed when a second walk over the rewritten program finds nothing new, so the
    check is reached by all ranks or by none. A second run changes nothing. Not inserted: behind loops on one line, in
    generators (whose rest may never run), and where the walk does not get to the loop.
    """

    code = name = "step-count-check"
    seeks = (
        "behind loops over a sharded DataLoader in which all ranks train (loaders that accelerate prepares stay equal)"
    )

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.codemods._helpers.batch_loops import batch_loops, is_compared

        for found in batch_loops(walks):
            if not is_compared(found, walks):
                text = "the ranks compare their step counts"
                yield self.finding(Place.of(found.loop), text, answer=_answer(found))


def _answer(found: BatchLoop) -> Answer:
    from ddplint_rules.codemods._helpers.step_counts import compared_after

    return offer("Compare the step counts", Safety.SAFE, lambda: compared_after(found))
