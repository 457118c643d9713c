"""DDP105 swallowed-failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import Because, Divergence, Finding, GuardKind, Harm, Place, Rule, Severity, Walk
from ddplint.rule.facts import at_the_end
from ddplint.rule.notes import related
from ddplint_rules.common import reporting


class SwallowedFailure(Rule):
    """## What it does
    Finds an exception handler that swallows a failure of one rank, so that it skips or repeats collectives which the
    others perform: `except RuntimeError: continue` around a training step, a retry loop, an out-of-memory skip, a
    collective in `else` or at the end of a `try` body whose handler goes on without it. `contextlib.suppress` is such a
    handler.

    Handlers that raise again or end the process are fine, and so is a `try` around code that does not communicate. What
    fails on all ranks or on none does not count: reading a file that all of them read, a library that is missing or too
    old, set-up that comes before the process group.

    Also a collective in a `finally` clause whose `try` communicates: a rank that failed waits there before its error
    is seen.

    ## Why is this bad
    An exception that leaves the process is not a hang: `torchrun` ends the other ranks within a second. One that is
    caught is. Measured on gloo with torch 2.13:

    - The rank that caught it lives on, and the others wait for it until the timeout.
    - If it goes on with the next batch, every later step is paired with the wrong one: after one failure in a loop of
      `all_reduce` calls the results were 33 instead of 23, then 33 and 53 instead of 43, without an error, until the
      ranks met with unequal numbers of steps left.
    - An exception in the middle of `backward()` (out of memory) leaves DDP's reduction unfinished; the next forward
      raises "Expected to have finished reduction in the prior iteration".

    A barrier in a `finally` holds the error back. Measured with two processes and a limit of 8 seconds: rank 1 raised
    `ValueError` while rank 0 was in an `all_reduce`; both waited for 8 seconds, and what each raised last was gloo's
    timeout. Without the `finally` rank 1 ended with its `ValueError` at once, and rank 0 with "Connection closed by
    peer" 0.3 seconds later.

    An evaluation that is "skipped if it fails" does the same. In fixtures/swallowed_evaluation one rank cannot score
    its batches, catches its `ValueError` and trains on; the others are in the gather of the scores. Measured on gloo
    with a limit of 20 seconds: both ranks waited for it, one in the gather and one in its next backward pass, the job
    died after 31 seconds, in its second epoch, and neither log names the other's error. The agreed form below, in
    which the failure is gathered with the scores, skipped the evaluation on both ranks in all three epochs and was
    done after 12 seconds, most of which is start-up (`fixtures/prove --only swallowed_evaluation`).

    Catching the timeout and going on is no way out either. Measured on gloo with a limit of 4 seconds, rank 0 late by
    7, three runs: rank 1 caught its timeout after 4 seconds, and from then on every `all_reduce` failed at once on
    both ranks ("Application timeout caused pair closure", "Connection closed by peer"), because the connection is
    gone for good. With each failure caught as well, both ended their loop with exit code 0 and nothing reduced.

    See facebookresearch/fairseq#708 (a skipped batch after running out of memory), tsujuifu/pytorch_violet#5,
    microsoft/InnerEye-DeepLearning#470 and Lightning-AI/pytorch-lightning#11841.

    ## Example
    ```python
    for batch in loader:
        try:
            loss = model(batch).mean()
            loss.backward()
        except RuntimeError:
            continue
        optimizer.step()
    ```

    ## Use instead
    ```python
    for batch in loader:
        failed = torch.zeros(1, device=device)
        try:
            batch = prepare(batch)
        except ValueError:
            failed += 1
        dist.all_reduce(failed)
        if failed:
            continue
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
    ```

    The same for an evaluation:
    ```python
    try:
        scores, problem = [score(model(x), y) for x, y in shard], ""
    except ValueError as error:
        scores, problem = [], str(error)
    gathered = [None] * dist.get_world_size()
    dist.all_gather_object(gathered, (scores, problem))
    if any(problem for _, problem in gathered):
        print("evaluation skipped:", [problem for _, problem in gathered])
    ```

    ## Fix safety
    There is no automatic fix: what may fail has to be separated from what communicates, and what all ranks do at the
    end belongs behind the `try`, where a rank that failed does not come.
    """

    code = "DDP105"
    name = "swallowed-failure"
    severity = Severity.WARNING
    harm = Harm.HANG

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        told: set[tuple[object, str]] = set()
        found = reporting.of(self, walks)
        for divergence in sorted(found, key=_is_asked_later):
            place = (divergence.guard.node, divergence.anchor.file.path)
            causes = [(origin.node, origin.file.path) for origin in divergence.guard.origins]
            if place in told or (_is_asked_later(divergence) and not told.isdisjoint(causes)):
                continue
            told.add(place)
            yield reporting.reported(self, divergence, _reported(divergence, divergence.event.label))
        yield from self._at_the_end(walks)

    def _at_the_end(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for found in (one for walk in walks for one in at_the_end(walk)):
            yield self.finding(
                Place.of(found.frame),
                f"{found.last.label} in a `finally`: a rank that fails waits in it before its error is seen",
                because=Because.FAILURE,
                notes=(related(found.before, "the others may be here"),),
                no_fix="call it behind the `try`: who raises ends, and the launcher ends the others",
            )


def _is_asked_later(divergence: Divergence) -> bool:
    """Whether ranks part not at the handler, but where it matters which of them have come to it."""
    return divergence.guard.kind is not GuardKind.EXCEPT


def _reported(divergence: Divergence, what: str) -> str:
    if _is_asked_later(divergence):
        return f"whether a rank reaches {what} depends on whether it caught an exception"
    if divergence.guard in divergence.event.guards:
        return f"an exception caught on one rank makes it run {what} once more than the others"
    return f"an exception caught on one rank makes it miss {what} of the others"
