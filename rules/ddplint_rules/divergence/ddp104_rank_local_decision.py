"""DDP104 rank-local-decision."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import (
    Answer,
    Because,
    Const,
    Divergence,
    Effect,
    Event,
    Finding,
    Harm,
    Place,
    Reason,
    Rule,
    Severity,
    Walk,
)
from ddplint.rule.facts import changes_meanwhile
from ddplint.rule.knowledge import load_knowledge
from ddplint.rule.notes import related
from ddplint_rules.common import reporting

_SEEN = {
    Reason.DATA: "its own data",
    Reason.IDENTITY: "its rank",
    Reason.CLOCK: "its clock",
    Reason.FILESYSTEM: "its view of the machine",
    Reason.RANDOM: "its random numbers",
    Reason.EXCEPTION: "an exception",
    Reason.LENGTH: "the length of its data",
}


_OWN = frozenset({Reason.DATA, Reason.IDENTITY, Reason.LENGTH})


class RankLocalDecision(Rule):
    """## What it does
    Finds a condition on something each rank sees for itself that decides whether a collective, a backward pass or a
    collective save happens: a NaN check or an empty batch (`continue` before `backward()`), early stopping on a local
    metric, `time.time()`, `os.path.exists`, a random number, or a value that `dist.reduce` left valid on one rank only.
    That a rank leaves because the very list that is then gathered is empty there is a warning, and so is a collective
    in the handler of a signal, which comes to each rank at its own time.

    Values that the ranks have agreed on (the result of `all_reduce`, `broadcast`, `accelerator.gather`) are fine. A
    test for a file counts only where some ranks write or remove that file: otherwise all see the same on shared
    storage. How much memory is in use, or how busy the machine is, no two ranks see alike.

    ## Why is this bad
    It works until the ranks decide differently, which may be days into a run. Measured on gloo with torch 2.13:

    - `if torch.isnan(loss): continue` on one rank: its next backward pass meets the backward pass of the *other* batch.
      The weights stay equal, but from then on gradients of different steps are averaged; at the end one rank is a step
      short and the others wait until the timeout.
    - `break` on a rank's own metric: the rank that goes on waits in its backward pass.
    - Skipping only `optimizer.step()` on one rank ends normally, with weights that differ for good.

    Root causes of this kind: pytorch/audio#3749 (`return None` on NaN before an `all_gather`), pytorch/pytorch#77562
    (a decision from `dist.reduce`), pytorch/xla#2712 (a save on a local accuracy), huggingface/transformers#17478
    (early stopping on ungathered metrics), huggingface/optimum-habana#2230 (`os.path.exists`),
    NVIDIA-NeMo/Automodel#2468 and Lightning-AI/pytorch-lightning#5243.

    ## Example
    ```python
    if torch.isnan(loss):
        continue
    loss.backward()
    ```

    ## Use instead
    ```python
    bad = torch.isnan(loss).float()
    dist.all_reduce(bad, op=dist.ReduceOp.MAX)
    if bad:
        continue
    loss.backward()
    ```

    ## Fix safety
    Reducing the decision first (any rank decides for all) is unsafe: ranks that would have gone on now follow the
    others. It is offered where the condition is a single tensor or a plain comparison in an `if`. With an `Accelerator`
    the fix is its own trigger: `accelerator.set_trigger()` where the condition holds, then
    `if accelerator.check_trigger():`. About what `dist.reduce` left on rank 0, rank 0 decides.
    """

    code = "DDP104"
    name = "rank-local-decision"
    severity = Severity.ERROR
    otherwise = (
        "A warning where the decision comes from something that ranks usually see alike (a clock, the disk, a "
        "failure), where what is decided may be no communication, and where ranks have different jobs."
    )
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in reporting.of(self, [walk]):
            event, reason = divergence.event, divergence.guard.reason
            if not _comes_later(event):
                sure = reason in _OWN and not _is_told(divergence) and not _may_be_silent(event)
                yield reporting.reported(
                    self,
                    divergence,
                    f"whether {event.label} happens is decided by each rank for itself ({_SEEN[reason]})"
                    + _IF_ANY * _may_be_silent(event),
                    severity=self.severity if sure else Severity.WARNING,
                    because=_because(divergence, walk),
                    answer=_answer(divergence),
                )
        yield from self._unfilled(walk)
        yield from self._signalled(walk)

    def _signalled(self, walk: Walk) -> Iterator[Finding]:
        """Operations in the handler of a signal, which comes to each rank at its own time, or to one of them only."""
        for event in walk.doing(Effect.COLLECTIVE):
            if any(frame.function in walk.handlers for frame in event.stack):
                yield self.finding(
                    Place.of(event),
                    f"{event.label} in the handler of a signal: a rank may be within another operation when it comes",
                    severity=Severity.WARNING,
                    because=Because.TIMING,
                    no_fix="set a flag in the handler, and have all ranks agree on it between two steps",
                )

    def _unfilled(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.divergence._helpers.conditions import unfilled

        for event, test in unfilled(walk):
            yield self.finding(
                Place(event.file, test),
                f"a rank that has nothing here does not come to {event.label}, where the others need it",
                severity=Severity.WARNING,
                because=Because.OWN_VALUE,
                notes=(related(event, "what each rank has is gathered"),),
                no_fix="gather an empty list, or agree first whether any rank has something",
            )


_IF_ANY = ": it broadcasts its buffers, if it has any"


def _comes_later(event: Event) -> bool:
    """Whether an operation only keeps what it is given, for a meeting that comes when every rank has had its turns."""
    if event.api is None:
        return False
    name, _, wanted = event.api.later.partition("=")
    given = event.kwargs.get(name) if name else None
    return isinstance(given, Const) and str(given.value) == wanted


def _may_be_silent(event: Event) -> bool:
    """Whether an operation is an evaluation of a model that has no buffers to broadcast, as far as is known."""
    details = event.details
    return (
        event.effect == Effect.FORWARD
        and bool(details.get("no_grad"))
        and not (details.get("buffers") or details.get("engine"))
    )


def _is_told(divergence: Divergence) -> bool:
    """Whether the rank that leaves says why: it raises, and the launcher ends the others."""
    return divergence.leaving is not None and isinstance(divergence.leaving.node, cst.Raise)


def _because(divergence: Divergence, walk: Walk) -> Because | None:
    """Low for what may be silent, and for files that no rank touches alone: on shared storage all see the same."""
    if _may_be_silent(divergence.event):
        return Because.PERHAPS_SILENT
    storage = divergence.guard.reason is Reason.FILESYSTEM and not _asks_for_the_load(divergence)
    return Because.SHARED_STORAGE if storage and not changes_meanwhile(walk, divergence) else None


def _asks_for_the_load(divergence: Divergence) -> bool:
    """Whether the condition asks how much of the machine is in use, which no two ranks see alike."""
    rows = (load_knowledge().value(origin.text) for origin in divergence.guard.origins)
    return any(row is not None and row.varying == "load" for row in rows)


def _answer(divergence: Divergence) -> Answer:
    from ddplint_rules.fixes.agree import agreed

    return agreed(divergence)
