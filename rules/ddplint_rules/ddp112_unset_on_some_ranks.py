"""DDP112 unset-on-some-ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Confidence, Event, Finding, Note, Place, Rule, Severity, Walk
from ddplint_rules._files import alone_by_choice
from ddplint_rules._parting import verb, who

if TYPE_CHECKING:
    import libcst as cst


class UnsetOnSomeRanks(Rule):
    """## What it does
    Finds a name or attribute that only some ranks have set, because of who they are, and that others read: `if rank ==
    0: writer = SummaryWriter()` and `writer.add_scalar(...)` on every rank, or on the first rank of each node. Also one
    that is `None` there and of which an attribute is read, and `wandb.log` on ranks that have not called `wandb.init`.

    Silent where a handler waits for the error, where a condition on the way may itself say who the rank is, and in
    functions that nothing calls, unless they communicate: whoever calls them may do so on the ranks that have the name.

    ## Why is this bad
    The other ranks raise `NameError` or `AttributeError` there. Measured with torch 2.13 and gloo under `torchrun`, the
    whole job ends with it. `wandb.log` (wandb 0.31) raises "You must call wandb.init() before wandb.log()", also with
    `WANDB_MODE=disabled`. On one process, where rank 0 is all there is, the program runs.

    It happened in opendilab/LightZero#196 (a logger that is `None` unless the rank is 0) and
    allenai/rslearn_projects#37 (the identifier of a run that only the first rank has begun). Commits that repaired it:
    coqui-ai/TTS@141797b, lucidrains/denoising-diffusion-pytorch@e9ec55c, crowsonkb/k-diffusion@fd7e0b7.

    ## Example
    ```python
    if dist.get_rank() == 0:
        writer = SummaryWriter(args.out)
    for epoch in range(args.epochs):
        loss = train(model, epoch)
        writer.add_scalar("loss", loss, epoch)
    ```

    ## Use instead
    ```python
    writer = SummaryWriter(args.out) if dist.get_rank() == 0 else None
    for epoch in range(args.epochs):
        loss = train(model, epoch)
        if writer is not None:
            writer.add_scalar("loss", loss, epoch)
    ```

    ## Fix safety
    No automatic fix: whether the other ranks want something of their own there, or nothing at all, is not to be seen.
    """

    code = "DDP112"
    name = "unset-on-some-ranks"
    severity = Severity.ERROR

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """The first read of each name in which some ranks have nothing."""
        told: set[tuple[object, str]] = set()
        for walk in walks:
            for event in walk.events:
                if event.effect == "unset" and _all_come(event, walk):
                    what = event.file.module.code_for_node(_read(event))
                    if (event.details["set"], what) not in told:
                        told.add((event.details["set"], what))
                        yield self._told(event, what)

    def _told(self, event: Event, what: str) -> Finding:
        lacking, guard = event.details["lacking"], event.details["set"]
        notes = [Note("origin", Place(origin.file, origin.node), origin.text) for origin in event.details["origins"]]
        message, made = _said(event, what)
        if guard is not None:
            notes.append(Note("guard", Place(guard.file, guard.node), f"{made} behind this question only"))
        return self.finding(
            Place(event.file, event.node),
            message,
            confidence=Confidence.MEDIUM,
            notes=tuple(notes),
            no_fix=f"do that on {who(lacking)} as well, or put this behind the same question",
        )


def _read(event: Event) -> cst.BaseExpression:
    """What is read: a name, an attribute, or the function of a tracker that is called."""
    what = event.details["what"]
    return getattr(what, "func", what)  # type: ignore[no-any-return]


def _said(event: Event, what: str) -> tuple[str, str]:
    """What happens, and what has been done on some ranks only."""
    lacking, error = event.details["lacking"], event.details["error"]
    if event.details["what"] is not _read(event):
        message = f"{what} is called on {who(lacking)}, where {error} was not: it raises there"
        return message, f"{error} is called"
    state = "is None" if event.details["set"] is None else "is not set"
    return f"{what} {state} on {who(lacking)}, which {verb(lacking, 'raise')} {error} here", f"{what} is set"


_ALL_RANKS = frozenset({"backward", "collective", "forward"})


def _all_come(event: Event, walk: Walk) -> bool:
    """Whether the ranks that read a name surely do.

    They do in a script and in what a framework calls on all ranks; elsewhere, where they communicate or restore a
    checkpoint in the same function.
    """
    if alone_by_choice(event):
        return False
    if walk.entry == "<module>" or walk.hook == "all":
        return True
    entered = event.stack[0].node
    return any(
        (other.effect in _ALL_RANKS or other.name == "torch.load") and event.ranks <= other.ranks
        for other in walk.events
        if other.stack[0].node is entered
    )
