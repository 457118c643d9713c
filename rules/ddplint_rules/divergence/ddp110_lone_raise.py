"""DDP110 lone-raise."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import (
    Answer,
    Because,
    Effect,
    Event,
    Finding,
    Guard,
    GuardKind,
    Harm,
    Note,
    Place,
    Reason,
    Rule,
    Severity,
    Walk,
)
from ddplint.rule.facts import checks_what_all_have, is_around
from ddplint.rule.notes import related
from ddplint_rules.common.reporting import verb, who


class LoneRaise(Rule):
    """## What it does
    Finds a `raise` or `assert` that only some ranks run, although the check before it looks at values that every rank
    knows: the guard around it has no part in the decision. Also a context manager (`@contextmanager`) that yields on
    some ranks only: on the others `with` raises `RuntimeError: generator didn't yield`.

    Checks of what only that rank did or sees (a file it just wrote, its own batch) are not reported, nor are
    raises after which the other ranks have nothing to wait for.

    ## Why is this bad
    The other ranks go on to the next collective. Measured with torch 2.13:

    - Under `torchrun` they are stopped within half a second, but on gloo the one in a collective raises "Connection
      closed by peer" first. The summary's "first observed failure" may then be the rank that only waited.
    - Where the exception is caught further up, or the launcher does not supervise its processes, they wait until the
      timeout.

    A check that all ranks make gives all of them the same error, at the place where it belongs.

    It happened in Red-Hat-AI-Innovation-Team/mini_trainer#60 (one rank quits, the others go on), and
    snowflakedb/ArcticTraining#233 hides the traces of the waiting ranks because they bury the true error.

    ## Example
    ```python
    if rank == 0:
        if args.batch_size % world_size:
            raise ValueError("the batch size is not divisible")
        os.makedirs(args.out, exist_ok=True)
    ```

    ## Use instead
    ```python
    if args.batch_size % world_size:
        raise ValueError("the batch size is not divisible")
    if rank == 0:
        os.makedirs(args.out, exist_ok=True)
    ```

    ## Fix safety
    Moving the check out of the guard is safe: its condition is the same on every rank.
    """

    code = "DDP110"
    name = "lone-raise"
    severity = Severity.WARNING
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        last = _last_meeting(walk)
        yield from self._managers(walk)
        for event in walk.events:
            guard = _guard(event)
            if guard is not None and event.order < last and not event.details.get("caught") and not _narrows(event):
                answer = _answer(walk, event, guard)
                if answer is not None:
                    ranks = tuple(sorted(event.ranks))
                    yield self.finding(
                        Place.of(event),
                        f"{who(ranks)} {verb(ranks, 'raise')} alone, after a check that every rank could make",
                        because=Because.OWN_VALUE,
                        notes=(
                            Note(
                                "guard",
                                Place.of(guard),
                                f"only {who(ranks)} {verb(ranks, 'come', 'comes')} here",
                            ),
                        ),
                        answer=answer,
                    )

    def _managers(self, walk: Walk) -> Iterator[Finding]:
        """Context managers that some ranks leave without a yield."""
        for event in walk.events:
            function = event.details.get("manager") if event.effect == Effect.NO_YIELD else None
            name = getattr(function.node, "name", None) if function is not None else None
            if function is None or name is None or event.by_all:
                continue
            ranks = tuple(sorted(event.ranks))
            place = Place(function.module.file, name)
            text = f"{function.name} does not yield on {who(ranks)}: `with` raises RuntimeError there"
            entered = related(event, "entered here")
            notes = (entered,) if event.node is not function.node else ()
            yield self.finding(place, text, notes=notes, no_fix="yield on every rank, and guard only the work")


def _last_meeting(walk: Walk) -> int:
    """The order of the last operation in which ranks meet."""
    return max(
        (event.order for event in walk.doing(Effect.COLLECTIVE, Effect.FORWARD, Effect.BACKWARD)),
        default=-1,
    )


def _guard(event: Event) -> Guard | None:
    """The rank test around a lone raise, where it is the only thing that parts the ranks, in the same function.

    By which decisions of their own others have left before says nothing of the check.
    """
    if event.effect != Effect.RAISE or event.by_all or not event.guards:
        return None
    *_, guard = event.guards
    around = [one for one in event.guards if one is guard or is_around(event, one)]
    if any(one.reason is not Reason.IDENTITY for one in around) or guard.kind is not GuardKind.IF:
        return None
    return guard if guard.depth == len(event.stack) and guard.function == event.stack[-1].function else None


def _answer(walk: Walk, event: Event, guard: Guard) -> Answer | None:
    from ddplint_rules.fixes.move_check import moved_check

    moved = moved_check(event, guard)
    if moved is None and checks_what_all_have(walk, event, guard):
        return Answer(no_fix="let every rank make the check: all have what it looks at")
    return moved


def _narrows(event: Event) -> bool:
    """Whether an assertion only tells a type checker what a value is: that it is there, or of which class."""
    test = event.node.test if isinstance(event.node, cst.Assert) else None
    if isinstance(test, cst.Comparison):
        return all(isinstance(part.operator, (cst.Is, cst.IsNot)) for part in test.comparisons)
    function = test.func if isinstance(test, cst.Call) else None
    if isinstance(function, cst.Name):
        return function.value in ("callable", "isinstance")
    return isinstance(test, (cst.Name, cst.Attribute))
