"""DDP203 read-before-written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ddplint.rule import (
    MAKES,
    PUTS,
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
)
from ddplint.rule.facts import (
    is_path,
    passed_over,
    paths,
    takes_some,
)
from ddplint_rules.common import reporting
from ddplint_rules.files._helpers import handover
from ddplint_rules.files._helpers.handover import removals
from ddplint_rules.files._helpers.polling import is_polled, polls, sleeps_beside

if TYPE_CHECKING:
    from ddplint.rule import Answer


_READS = frozenset({Effect.READ, Effect.LIST, Effect.COPY, Effect.MOVE, Effect.DELETE})
_LOADS = _READS | {Effect.DOWNLOAD}
"""What reads a file of this machine: ``from_pretrained`` takes a folder as well as a name on the hub."""
_USES = _LOADS | PUTS
_VERBS = {
    Effect.READ: "read",
    Effect.LIST: "list",
    Effect.DELETE: "remove",
    Effect.COPY: "copy",
    Effect.MOVE: "move",
    Effect.DOWNLOAD: "load",
}
_FOLDERS = frozenset({"save_directory", "output_dir"})
_HANDS_ON = {Effect.LINK: "links to", Effect.MOVE: "moves", Effect.LIST: "lists", Effect.DELETE: "removes"}


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
        yield from self._early(walk)
        yield from self._unguarded(walk)
        yield from self._polled(walk)
        yield from self._removed(walk)
        reported: set[int] = set()
        for number, first in enumerate(walk.events):
            if not handover.is_own_part(first) or not walk.run_together(first):
                continue
            second = handover.handed_on(walk, first, number) or handover.read_by_another(walk, first, number)
            if second is None or id(second.node) in reported:
                continue
            if not _is_waited_for(walk.events[number + 1 :], second):
                reported.add(id(second.node))
                yield self._handed_on(first, second)

    def _early(self, walk: Walk) -> Iterator[Finding]:
        reported: set[int] = set()
        for number, first in enumerate(walk.events):
            if first.effect not in MAKES or not first.by_some or not walk.run_together(first):
                continue
            if sleeps_beside(first):
                continue
            second = _too_early(walk, first, walk.after(number, _USES))
            if second is not None and id(second.node) not in reported:
                reported.add(id(second.node))
                way = notes.led_here(second) if second.file is not walk.file else ()
                yield self._reported(walk, first, second, way)

    def _polled(self, walk: Walk) -> Iterator[Finding]:
        reported: set[int] = set()
        for poll in polls(walk):
            test, made = poll.test, poll.made
            if id(test.node) in reported:
                continue
            reported.add(id(test.node))
            makers, lookers = tuple(sorted(made.ranks)), tuple(sorted(test.ranks - made.ranks))
            writer, others = reporting.who(makers), reporting.who(lookers)
            related = Note("related", Place(made.file, made.node), f"{writer}: {made.callee}")
            yield self.finding(
                Place(test.file, test.node),
                f"{others} {reporting.verb(lookers, 'look')} for what {writer} {reporting.verb(makers, 'make')}, and "
                f"{reporting.verb(lookers, 'raise')} after {poll.seconds:g} seconds",
                severity=Severity.WARNING,
                because=Because.DURATION,
                notes=(*_guards(made), related),
                no_fix="let every rank wait in a barrier after it is made",
            )

    def _removed(self, walk: Walk) -> Iterator[Finding]:
        reported: set[int] = set()
        for found in removals(walk):
            event, other = found.removed, found.other
            if id(event.node) in reported:
                continue
            reported.add(id(event.node))
            ranks = tuple(sorted(other.ranks - event.ranks))
            who = reporting.who(event.ranks)
            does = "may still be reading" if found.before else "may already be making anew"
            answer = _answer_before(event) if found.before else _answer(event, other)
            yield self.finding(
                Place(event.file, event.node),
                f"{who} {reporting.verb(event.ranks, 'remove')} what {reporting.who(ranks)} {does}",
                severity=Severity.WARNING,
                because=Because.TIMING,
                notes=(
                    *_guards(event),
                    Note("related", Place(other.file, other.node), f"{other.callee}"),
                ),
                answer=answer,
            )

    def _unguarded(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.files._helpers.handover import unentered

        for event in unentered(walk):
            name = event.name.rpartition(".")[2]
            yield self.finding(
                Place(event.file, event.node),
                f"{name}() is called without `with`: nobody waits, and all ranks do at once what one should do first",
                severity=Severity.WARNING,
                notes=tuple(notes.led_here(event)),
                no_fix=f"enter it: `with {event.callee}(...):`",
            )

    def _reported(self, walk: Walk, first: Event, second: Event, way: Iterable[Note]) -> Finding:
        from ddplint.rule.facts import is_caught

        later = walk.starts_later(second)
        answer = _answer_later() if later else _answer(first, second)
        mild = later or is_caught(second) or (walk.entry != "<module>" and not walk.hook)
        writer = reporting.who(first.ranks)
        return self.finding(
            Place(second.file, second.node),
            f"{reporting.who(second.ranks - first.ranks)} {_does(first, second)} {writer} may not have "
            f"{'created' if first.effect == Effect.CREATE_DIR else 'written'} yet",
            severity=Severity.WARNING if mild else self.severity,
            because=Because.AS_WRITTEN if second.effect != Effect.DELETE and not mild else Because.TIMING,
            notes=(
                *_guards(first),
                Note("related", Place(first.file, first.node), f"{writer}: {first.callee}"),
                *way,
            ),
            answer=answer,
        )

    def _handed_on(self, first: Event, second: Event) -> Finding:
        answer = _answer_before(second)
        one, others = reporting.who(second.ranks), reporting.who(first.ranks - second.ranks)
        text = f"{one} {_HANDS_ON.get(second.effect, 'reads')} a folder that {others} may still write into"
        if second.effect == Effect.READ:
            who = "every rank" if second.by_all else one
            text = f"{who} reads what other ranks may still be writing, each its own part"
        return self.finding(
            Place(second.file, second.node),
            text,
            severity=Severity.WARNING if second.effect == Effect.LINK else self.severity,
            because=Because.TIMING,
            notes=(*_guards(second), Note("related", Place(first.file, first.node), "every rank writes its part")),
            answer=answer,
        )


def _does(first: Event, second: Event) -> str:
    verb = "write into a folder that" if _fills(first, second) else f"{_VERBS.get(second.effect, 'read')} what"
    word, _, rest = verb.partition(" ")
    return f"{word}{'s' if len(second.ranks - first.ranks) == 1 else ''} {rest}"


def _too_early(walk: Walk, first: Event, later: Iterable[Event]) -> Event | None:
    """The first event in which a rank that did not make the file uses it, and did not wait for who made it."""
    one = min(first.ranks)
    made = first.written(one)
    if not made or not is_path(first.details.get("target") or first.details.get("path")):
        return None
    for second in later:
        others = second.ranks - first.ranks
        if not others or not first.agrees_with(second):
            continue
        other = min(others)
        if not _uses(walk, first, second, made, other) or walk.side_by_side(first, second):
            continue
        if walk.comes_before(first, one, second, other) or _made_itself(walk, first, second, made, other):
            return None
        return second
    return None


def _uses(walk: Walk, first: Event, second: Event, made: paths.Path, other: int) -> bool:
    if _fills(first, second):
        inside = second.written(other)
        return inside != made and paths.within(inside, made)
    if second.effect == Effect.DOWNLOAD and first.effect != Effect.WRITE:
        return False  # what is fetched twice is the hub's
    if second.effect not in _LOADS or (first.effect == Effect.CREATE_DIR and second.effect != Effect.LIST):
        return False
    if first.effect == Effect.CREATE_DIR and second.api is not None and second.api.missing_ok:
        folder = second.looked_at(other)
        if made == folder or not paths.within(made, folder):
            return False  # a folder that is not there is as good as an empty one
    if first.effect == Effect.CREATE_DIR and takes_some(second):
        return False  # who has just made the folder would fail there, too
    if second.effect == Effect.DELETE and second.written(other) == made and walk.is_careful(second):
        return False  # what is not there yet is not missed
    if first.effect == Effect.APPEND and second.effect == Effect.READ and second.looked_at(other) != made:
        return False  # a log in a folder is not what the folder is read for
    ways = second.ways_looked_at(other, {**first.path, **second.path})
    found = any(paths.touch(way, made) for way in ways) and second.finds(made, other)
    return found and not passed_over(second, made, other)


def _fills(first: Event, second: Event) -> bool:
    return first.effect == Effect.CREATE_DIR and second.effect in PUTS and not _takes_folder(second)


def _takes_folder(event: Event) -> bool:
    """Whether a call is given the folder that it writes into (``save_pretrained``), and makes it."""
    return event.api is not None and event.api.path.name in _FOLDERS


def _made_itself(walk: Walk, first: Event, second: Event, made: paths.Path, other: int) -> bool:
    """Whether the rank made the file or folder itself, or polled for it. A folder of its own making may be empty."""
    makes = MAKES if first.effect == Effect.CREATE_DIR else MAKES - {Effect.CREATE_DIR}
    for event in walk.events:
        if other not in event.ranks or event.order >= second.order or event is first:
            continue
        if event.effect in makes and paths.within(event.written(other), made):
            return True
        if event.effect in (Effect.EXISTS, Effect.LIST) and event.order > first.order and is_polled(event):
            return True
    return False


def _is_waited_for(events: Iterable[Event], second: Event) -> bool:
    """Whether who reads looks again and again what is there, then or before."""
    looked = (event for event in events if event.effect in (Effect.EXISTS, Effect.LIST) and event.order <= second.order)
    return any(second.ranks <= event.ranks and is_polled(event) for event in looked)


def _guards(event: Event) -> Iterator[Note]:
    for guard in event.guards:
        if guard.reason is Reason.IDENTITY:
            yield Note("guard", Place(guard.file, guard.node), f"only {reporting.who(event.ranks)}")


def _answer(first: Event, second: Event) -> Answer:
    from ddplint_rules.fixes.rank_zero import waited_for

    return waited_for(first, second)


def _answer_later() -> Answer:
    from ddplint.rule import Answer

    return Answer(no_fix="there is no process group yet: let every rank make it, or make it in a hook of the trainer")


def _answer_before(second: Event) -> Answer:
    from ddplint_rules.fixes.rank_zero import waited_before

    return waited_before(second)
