"""DDP406 group-not-destroyed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ddplint.rule import Answer, Because, Effect, Event, Finding, Place, Rule, Safety, Severity, Walk
from ddplint.rule.facts import INIT, backend_of
from ddplint.rule.fixes import offer

_ENDS = ("destroy", "cleanup", "clean_up", "shutdown", "teardown", "finalize", "finalise", "end_training")


class GroupNotDestroyed(Rule):
    """## What it does
    Finds a script that creates a process group and ends without `destroy_process_group`. Where the backend is not
    written out as NCCL it is shown with `min-confidence = "low"` only.

    ## Why is this bad
    Nothing is lost while the script goes well: measured on gloo there is not even a message. NCCL says
    (torch 2.11 and 2.13) `destroy_process_group() was not called before program exit, which can leak resources`.
    Measured on NCCL 2.28 with two ranks, that is all, also where one rank leaves 20 seconds later, where only one
    destroys the group, or where one has begun a reduction that nobody joins: exit code 0. Others saw ranks that
    leave while communication is under way hang or abort: alan-turing-institute/autocast#381 and
    k2-fsa/snowfall#145, after the last line. The call also lets a second group be made in the same process.

    ## Example
    ```python
    def main():
        dist.init_process_group("nccl")
        train()
    ```

    ## Use instead
    ```python
    def main():
        dist.init_process_group("nccl")
        train()
        dist.destroy_process_group()
    ```

    ## Fix safety
    Safe: the call is added at the end of the function that the script runs, behind `if dist.is_initialized():`
    where the group is made on some runs only.
    """

    code = "DDP406"
    name = "group-not-destroyed"
    severity = Severity.ADVICE

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        if any(_ends(event) for walk in walks for event in walk.events):
            return
        for walk in walks:
            if not walk.is_of_a_script or walk.cut:
                continue
            made = next((event for event in walk.events if event.name == INIT and _is_script(walk)), None)
            if made is not None and not any("destroy_process_group" in frame.file.text for frame in made.stack):
                text = "the process group is never destroyed: no destroy_process_group when the script ends"
                step = next(frame for frame in reversed(made.stack) if frame.file is walk.file)
                sure = Because.LIBRARY if "nccl" in (backend_of(made) or "") else Because.BACKEND
                yield self.finding(Place.of(step), text, because=sure, answer=_answer(made))


def _is_script(walk: Walk) -> bool:
    """Whether the file is run, rather than imported: it asks for ``__main__``, or the file is in no package."""
    if "__main__" in walk.file.text:
        return True
    return not os.path.exists(walk.file.real_path.with_name("__init__.py"))


def _ends(event: Event) -> bool:
    """Whether a call ends the distributed state, or is called so and cannot be followed."""
    return event.effect == Effect.TEARDOWN or (
        event.effect == Effect.OPAQUE and any(word in event.name.lower() for word in _ENDS)
    )


def _answer(made: Event) -> Answer:
    from ddplint_rules.runtime._helpers.teardown import destroyed_at_the_end

    return offer("Destroy the process group at the end", Safety.SAFE, lambda: destroyed_at_the_end(made))
