"""DDP203 read-before-written."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Answer,
    Because,
    Effect,
    Event,
    Finding,
    Harm,
    Note,
    Place,
    Reason,
    Rule,
    Severity,
    Walk,
    notes,
    once,
)
from ddplint.rule.facts import is_caught
from ddplint.rule.notes import related
from ddplint_rules.common import reporting
from ddplint_rules.files._helpers.early import early_uses, fills
from ddplint_rules.files._helpers.handover import Removal, removals, taken_early, unentered
from ddplint_rules.files._helpers.polling import Poll, polls

_VERBS = {
    Effect.READ: "read",
    Effect.LIST: "list",
    Effect.DELETE: "remove",
    Effect.COPY: "copy",
    Effect.MOVE: "move",
    Effect.DOWNLOAD: "load",
}
_HANDS_ON = {Effect.LINK: "links to", Effect.MOVE: "moves", Effect.LIST: "lists", Effect.DELETE: "removes"}

_LATER = "there is no process group yet: let every rank make it, or make it in a hook of the trainer"


class ReadBeforeWritten(Rule):
    """## What it does
    Finds a file or folder that one rank writes or creates and other ranks then read, list, remove or write into,
    with nothing between the two that makes them wait.

    The reverse is found too: a folder that every rank writes a part of its own into, and that one rank lists, moves,
    removes or links to as if it were complete, without waiting for the others; and parts that other ranks read.

    What one rank removes while others may still be reading it, or are already making it anew, is a warning.

    So is a manager that lets one rank go first (`accelerator.main_process_first()`), where it is called but not
    entered by a `with`, and a loop that looks for what another rank makes and raises within a minute.

    Where the program catches that it is not there, it is a warning: what ranks see differs all the same. So it is in a
    function or class whose callers are not known, for they may let one rank go first.

    What a script does before its Lightning trainer runs is a warning: the trainer's own launcher starts the other
    processes of the node only then. Under SLURM, under torchrun and on a second node all of them start at once.

    ## Why is this bad
    The other ranks do not know that the file is not there yet. Measured on a local disk: without a barrier the
    other rank failed 90 times in 90 (`FileNotFoundError`, `EOFError`), and with an older file in place it silently
    loaded the stale one 11 times in 30. A barrier *before* the write does not help (30 of 30 failed); a barrier
    *after* it does (0 of 30).

    It happened in Pointcept/Pointcept#59 and, with a test for the folder in place of the barrier, in
    huggingface/optimum-habana#2230.

    ## Example
    ```python
    if rank == 0:
        torch.save(model.state_dict(), "best.pt")
    model.load_state_dict(torch.load("best.pt", map_location="cpu"))
    ```

    ## Use instead
    ```python
    if rank == 0:
        torch.save(model.state_dict(), "best.pt")
    dist.barrier()
    model.load_state_dict(torch.load("best.pt", map_location="cpu"))
    ```

    ## Fix safety
    Inserting the barrier is safe: every rank reaches it, and nothing else changes. A write that takes longer than the
    process group's timeout needs a longer timeout as well.
    """

    code = "DDP203"
    name = "read-before-written"
    severity = Severity.ERROR
    otherwise = (
        "A warning where the file is looked for again and again, removed under a reader, read much later or where "
        "the failure is caught, and in functions that not every program calls."
    )
    harm = Harm.CRASH
    reported_at_calls = True

    def check(self, walk: Walk) -> Iterator[Finding]:
        yield from (self._reported(walk, first, second) for first, second in early_uses(walk))
        yield from map(self._unentered, unentered(walk))
        yield from map(self._polled, once(polls(walk), lambda poll: poll.test.node))
        yield from map(self._removed, once(removals(walk), lambda removal: removal.removed.node))
        yield from (self._handed_on(first, second) for first, second in taken_early(walk))

    def _polled(self, poll: Poll) -> Finding:
        makers, lookers = poll.made.ranks, poll.test.ranks - poll.made.ranks
        writer, others = reporting.who(makers), reporting.who(lookers)
        return self.finding(
            Place.of(poll.test),
            f"{others} {reporting.verb(lookers, 'look')} for what {writer} {reporting.verb(makers, 'make')}, and "
            f"{reporting.verb(lookers, 'raise')} after {poll.seconds:g} seconds",
            severity=Severity.WARNING,
            because=Because.DURATION,
            notes=(*_guards(poll.made), related(poll.made, f"{writer}: {poll.made.callee}")),
            no_fix="let every rank wait in a barrier after it is made",
        )

    def _removed(self, found: Removal) -> Finding:
        from ddplint_rules.fixes.rank_zero import waited_before, waited_for

        event, other = found.removed, found.other
        does = "may still be reading" if found.before else "may already be making anew"
        who = f"{reporting.who(event.ranks)} {reporting.verb(event.ranks, 'remove')}"
        return self.finding(
            Place.of(event),
            f"{who} what {reporting.who(other.ranks - event.ranks)} {does}",
            severity=Severity.WARNING,
            because=Because.TIMING,
            notes=(*_guards(event), related(other, other.callee)),
            answer=waited_before(event) if found.before else waited_for(event, other),
        )

    def _unentered(self, event: Event) -> Finding:
        name = event.name.rpartition(".")[2]
        return self.finding(
            Place.of(event),
            f"{name}() is called without `with`: nobody waits, and all ranks do at once what one should do first",
            severity=Severity.WARNING,
            notes=tuple(notes.led_here(event)),
            no_fix=f"enter it: `with {event.callee}(...):`",
        )

    def _reported(self, walk: Walk, first: Event, second: Event) -> Finding:
        from ddplint_rules.fixes.rank_zero import waited_for

        later = walk.starts_later(second)
        way = notes.led_here(second) if second.file is not walk.file else ()
        mild = later or is_caught(second) or (not walk.is_of_a_script and not walk.hook)
        writer = reporting.who(first.ranks)
        return self.finding(
            Place.of(second),
            f"{reporting.who(second.ranks - first.ranks)} {_does(first, second)} {writer} may not have "
            f"{'created' if first.effect == Effect.CREATE_DIR else 'written'} yet",
            severity=Severity.WARNING if mild else self.severity,
            because=Because.AS_WRITTEN if second.effect != Effect.DELETE and not mild else Because.TIMING,
            notes=(*_guards(first), related(first, f"{writer}: {first.callee}"), *way),
            answer=Answer(no_fix=_LATER) if later else waited_for(first, second),
        )

    def _handed_on(self, first: Event, second: Event) -> Finding:
        from ddplint_rules.fixes.rank_zero import waited_before

        one, others = reporting.who(second.ranks), reporting.who(first.ranks - second.ranks)
        text = f"{one} {_HANDS_ON.get(second.effect, 'reads')} a folder that {others} may still write into"
        if second.effect == Effect.READ:
            who = "every rank" if second.by_all else one
            text = f"{who} reads what other ranks may still be writing, each its own part"
        return self.finding(
            Place.of(second),
            text,
            severity=Severity.WARNING if second.effect == Effect.LINK else self.severity,
            because=Because.TIMING,
            notes=(*_guards(second), related(first, "every rank writes its part")),
            answer=waited_before(second),
        )


def _does(first: Event, second: Event) -> str:
    verb = "write into a folder that" if fills(first, second) else f"{_VERBS.get(second.effect, 'read')} what"
    word, _, rest = verb.partition(" ")
    return f"{word}{'s' if len(second.ranks - first.ranks) == 1 else ''} {rest}"


def _guards(event: Event) -> Iterator[Note]:
    for guard in event.guards:
        if guard.reason is Reason.IDENTITY:
            yield Note("guard", Place.of(guard), f"only {reporting.who(event.ranks)}")
