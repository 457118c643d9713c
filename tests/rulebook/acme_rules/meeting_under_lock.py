"""ACM102 meeting-under-lock."""

from collections.abc import Iterator

from ddplint.rule import MEETS, Because, Event, Finding, Harm, Note, Place, Rule, Severity, Walk
from ddplint.rule.facts import uniformity
from ddplint.rule.notes import led_here


class MeetingUnderLock(Rule):
    """## What it does
    Finds operations that wait for the other ranks while a lock file is held that the others want, too.

    ## Why is this bad
    One rank gets the lock and waits in the operation; the others wait for the lock. Nobody goes on.

    ## Example
    ```python
    with FileLock("data.lock"):
        prepare()
        dist.barrier()
    ```

    ## Use instead
    The barrier behind the block.

    ## Fix safety
    There is no fix.
    """

    code = "ACM102"
    name = "meeting-under-lock"
    severity = Severity.ERROR
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        reported: set[int] = set()
        for event in walk.doing(*MEETS):
            lock = _shared_lock(walk, event)
            if lock is None or id(event.node) in reported:
                continue
            reported.add(id(event.node))
            yield self.finding(
                Place.of(event),
                f"{event.callee} waits for ranks that wait for the lock",
                because=Because.AS_WRITTEN,
                notes=(Note("related", Place.of(lock), "one rank at a time"), *led_here(event)),
                no_fix="meet behind the block of the lock",
            )


def _shared_lock(walk: Walk, event: Event) -> Event | None:
    """A lock around an event that all who meet there want, under one name."""
    if len(event.ranks) < 2 or not walk.run_together(event):
        return None
    held = (lock for lock in walk.locks_around(event) if event.ranks <= lock.ranks)
    return next((lock for lock in held if uniformity.same_for_all(lock.target)), None)
