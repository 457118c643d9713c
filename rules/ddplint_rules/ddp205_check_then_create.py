"""DDP205 check-then-create."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Confidence, Event, Finding, Guard, Note, Place, Rule, Severity, Walk
from ddplint_rules import _files as files
from ddplint_rules import _meetings as meetings
from ddplint_rules import _saves as saves

if TYPE_CHECKING:
    from ddplint_rules._guarding import Answer

_VERBS = {
    "create_dir": "creates it",
    "write": "writes it",
    "append": "writes it",
    "delete": "removes it",
    "move": "moves it",
    "copy": "copies it",
    "link": "links it",
    "download": "downloads it",
}


class CheckThenCreate(Rule):
    """## What it does
    Finds a test for a path that every rank makes for itself, followed by the step that changes the answer: creating,
    writing, removing or moving that path, or raising because it is there.

    ## Why is this bad
    The ranks do not test at the same moment. All of them find nothing and create at once, or a fast rank creates before
    a slow one has looked. Measured: `if not os.path.exists(d): os.makedirs(d)` on two ranks raised `FileExistsError` in
    68 of 100 rounds. Where the test guards a file, several ranks write it together, and one that comes later reads the
    half of it that is there; where it guards a `raise`, the job dies although nothing is wrong.

    ## Example
    ```python
    if not os.path.exists(run_dir):
        os.makedirs(run_dir)
    ```

    ## Use instead
    ```python
    os.makedirs(run_dir, exist_ok=True)
    ```

    ## Fix safety
    `exist_ok=True` is safe: on one process the folder is missing when it is created. A barrier between a test that
    raises and the step that changes its answer is safe too. For files there is no automatic fix: let rank 0 test and
    write, and the others wait in a barrier after it.
    """

    code = "DDP205"
    name = "check-then-create"
    severity = Severity.WARNING

    def check(self, walk: Walk) -> Iterator[Finding]:
        yield from self.check_file([walk])

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        told: set[int] = set()
        for walk in walks:
            for event in walk.events:
                if event.effect not in _VERBS or id(event.node) in told or not saves.is_by_all(walk, event):
                    continue
                found = saves.tested(walk, event)
                if found is not None and not _harmless(walk, event, *found):
                    told.add(id(event.node))
                    yield self._told(event, *found)

    def _told(self, event: Event, guard: Guard, test: Event) -> Finding:
        answer = _answer(event, guard)
        what = _VERBS[event.effect]
        message = f"every rank tests for the same path, then {what}"
        if saves.refuses(guard):
            message = f"every rank raises if the path is there, then {what}: a slow rank finds what a fast one made"
        return self.finding(
            Place(event.file, event.node),
            f"{message} ({files.callee(event)})",
            confidence=Confidence.HIGH if event.effect == "create_dir" else Confidence.MEDIUM,
            notes=(Note("guard", Place(test.file, test.node), "each rank asks for itself"), *files.led_here(event)),
            fix=answer.fix,
            no_fix=answer.no_fix,
        )


def _harmless(walk: Walk, event: Event, guard: Guard, test: Event) -> bool:
    """Whether it does not matter that several ranks come through, or the ranks meet between test and step."""
    if saves.refuses(guard):
        return any(
            meetings.comes_before(walk, test, one, event, other)
            for one in event.ranks
            for other in event.ranks
            if one != other
        )
    return saves.tolerates(event)


def _answer(event: Event, guard: Guard) -> Answer:
    from ddplint_rules._guarding import existing_allowed, met_first

    return met_first(event) if saves.refuses(guard) else existing_allowed(event)
