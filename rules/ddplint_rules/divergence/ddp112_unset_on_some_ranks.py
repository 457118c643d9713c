"""DDP112 unset-on-some-ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Because, Effect, Event, Finding, Harm, Note, Place, Rule, Severity, Walk
from ddplint.rule.facts import alone_by_choice
from ddplint_rules.common.reporting import verb, who


class UnsetOnSomeRanks(Rule):
    """## What it does
    Finds a name or attribute that only some ranks have set, because of who they are, and that others read: `if rank ==
    0: writer = SummaryWriter()` and `writer.add_scalar(...)` on every rank, or on the first rank of each node. Also one
    that is `None` there and of which an attribute is read, a key or an index that only some ranks have filled in, and
    `wandb.log` on ranks that have not called `wandb.init`.

    Silent where a handler waits for the error, where a condition on the way may itself say who the rank is, and in
    functions that nothing calls, unless they communicate: whoever calls them may do so on the ranks that have the name.
    A warning where such a function restores a checkpoint and does not communicate.

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
    otherwise = (
        "A warning where options decide whether ranks come there, where a checkpoint is loaded beside it, which one "
        "process may do as well, and where ranks have different jobs."
    )
    harm = Harm.CRASH

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """The first read of each name in which some ranks have nothing."""
        told: set[tuple[object, str]] = set()
        for walk in walks:
            for event in walk.events:
                severity = _all_come(event, walk) if event.effect == Effect.UNSET else None
                if severity is not None:
                    what = event.file.module.code_for_node(_read(event))
                    if (event.details["set"], what) not in told:
                        told.add((event.details["set"], what))
                        yield self._reported(event, what, severity)

    def _reported(self, event: Event, what: str, severity: Severity) -> Finding:
        lacking, guard = event.details["lacking"], event.details["set"]
        notes = [Note("origin", Place.of(origin), origin.text) for origin in event.details["origins"]]
        message, made = _said(event, what)
        if guard is not None:
            notes.append(Note("guard", Place.of(guard), f"{made} behind this question only"))
        return self.finding(
            Place.of(event),
            message,
            severity=severity,
            because=Because.ORDER_OF_USE,
            notes=tuple(notes),
            no_fix=f"do that on {who(lacking)} as well, or put this behind the same question",
        )


def _read(event: Event) -> cst.BaseExpression:
    """What is read: a name, an attribute, or the function of a tracker that is called."""
    what = event.details["what"]
    read: cst.BaseExpression = getattr(what, "func", what)
    return read


def _said(event: Event, what: str) -> tuple[str, str]:
    """What happens, and what has been done on some ranks only."""
    lacking, error = event.details["lacking"], event.details["error"]
    if event.details["what"] is not _read(event):
        message = f"{what} is called on {who(lacking)}, where {error} was not: it raises there"
        return message, f"{error} is called"
    if error in _OF_ITEMS:
        return f"{what} is missing on {who(lacking)}, which {verb(lacking, 'raise')} {error} here", "it is filled"
    state = "is None" if event.details["set"] is None else "is not set"
    return f"{what} {state} on {who(lacking)}, which {verb(lacking, 'raise')} {error} here", f"{what} is set"


_OF_ITEMS = frozenset({"IndexError", "KeyError"})
_ALL_RANKS = frozenset({Effect.BACKWARD, Effect.COLLECTIVE, Effect.FORWARD})


def _all_come(event: Event, walk: Walk) -> Severity | None:
    """How sure it is that the ranks that read a name all come there; None where it is not.

    They do in a script and in what a framework calls on all ranks; elsewhere, where they communicate in the same
    function (an evaluation may be one rank's). Where they restore a checkpoint there, they do if it is for several at
    all: a test may be run by one process.
    """
    if alone_by_choice(event) or event.depends_on_a_part:
        return None
    sure = Severity.WARNING if event.path else Severity.ERROR
    if walk.is_of_a_script or walk.hook == "all":
        return sure
    entered = event.stack[0].node
    beside = [one for one in walk.events if one.stack[0].node is entered and event.ranks <= one.ranks]
    if any(one.effect in _ALL_RANKS and not one.details.get("no_grad") for one in beside):
        return sure
    return Severity.WARNING if any(one.name == "torch.load" for one in beside) else None
