"""DDP205 check-then-create."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ddplint.rule import Answer, Because, Effect, Event, Finding, Harm, Note, Place, Rule, Severity, Walk, notes
from ddplint.rule.facts import Writers, place_and_caller
from ddplint_rules.common import reporting

_VERBS = {
    Effect.CREATE_DIR: "creates it",
    Effect.WRITE: "writes it",
    Effect.APPEND: "writes it",
    Effect.DELETE: "removes it",
    Effect.MOVE: "moves it",
    Effect.COPY: "copies it",
    Effect.LINK: "links it",
    Effect.DOWNLOAD: "downloads it",
}


class CheckThenCreate(Rule):
    """## What it does
    Finds a test for a path that every rank makes for itself, followed by the step that changes the answer: creating,
    writing, removing or moving that path, or raising because it is there. Under a lock file it has to be tested again:
    who tested before and then waited for the lock does it over, while others may read already. Three places or more
    behind one call that leads to nothing which ranks do together are one finding. Code that no walk of a program came
    to counts where calls lead there from a program of several processes, and nothing around them asks for a rank.

    ## Why is this bad
    The ranks do not test at the same moment. All of them find nothing and create at once, or a fast rank creates before
    a slow one has looked. Measured: `if not os.path.exists(d): os.makedirs(d)` on two ranks raised `FileExistsError` in
    68 of 100 rounds. Where the test guards a file, several ranks write it together, and one that comes later reads the
    half of it that is there; where it guards a `raise`, the job dies although nothing is wrong.

    It happened in facebookresearch/ClassyVision#182, allenai/allennlp#3841 and Nixtla/neuralforecast#1460.

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
    harm = Harm.CRASH
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        yield from reporting.one_for_each_call(self._found(walks), walks)

    def _found(self, walks: Sequence[Walk]) -> Iterator[tuple[Finding, Event | None]]:
        """What is wrong, each with the step that changes the answer, where every rank takes it."""
        reported: dict[tuple[int, int], Event] = {}
        opened: list[Event] = []  # at the same places, for other paths
        for walk in walks:
            yield from ((finding, None) for finding in self._refused_to_others(walk, reported))
            for event in walk.doing(*_VERBS):
                place = place_and_caller(event)
                if place in reported:
                    opened.append(event)
                    continue
                writers = walk.writers(event, walks)
                seen = writers.share()
                asked = not seen and (writers.question is not None or writers.refusal is not None)
                if seen or (asked and writers.share(called=True)):
                    finding = self._raced(writers) or self._refused(writers)
                else:
                    finding = self._asked_too_early(walk, writers)
                if finding is not None and not writers.use_stream_of([*reported.values(), *opened]):
                    reported[place] = event
                    yield finding, event if writers.program is None else None

    def _raced(self, writers: Writers) -> Finding | None:
        test = writers.question
        if test is None or writers.tolerate_each_other or writers.refusal is not None or writers.wait_for_one:
            return None
        message = f"{_subject(writers)} for the same path, then {_verb(writers)}"
        return self._reported(writers, test, message, _lenient)

    def _asked_too_early(self, walk: Walk, writers: Writers) -> Finding | None:
        """What is done under a lock, by the answer to a question that was asked before the lock was taken."""
        event = writers.event
        if writers.tolerate_each_other or not writers.share(locked=True):
            return None
        taken = min(lock.order for lock in writers.locks)
        test = writers.test
        if test is None or test.order > taken or _is_asked_again(walk, event, taken):
            return None
        message = f"every rank that waited for the lock {_VERBS[event.effect]} again: it tested before it had the lock"
        return self._reported(writers, Place.of(test), message, _again)

    def _refused(self, writers: Writers) -> Finding | None:
        event, test = writers.event, writers.refusal
        if test is None or writers.have_met_since(test):
            return None
        message = f"every rank raises if the path is there, then {_VERBS[event.effect]}: a slow rank finds a fast one's"
        return self._reported(writers, Place.of(test), message, _patient)

    def _refused_to_others(self, walk: Walk, reported: dict[tuple[int, int], Event]) -> Iterator[Finding]:
        """What some ranks write while others may still be about to raise because it is there."""
        for event in walk.events:
            writers, place = walk.writers(event), place_and_caller(event)
            test = writers.refusal_of_others
            if test is None or place in reported or writers.use_stream_of(reported.values()):
                continue
            reported[place] = event
            who = tuple(sorted(event.ranks))
            verb = reporting.verb(who, "write")
            message = (
                f"every rank raises if the path is there, then {reporting.who(who)} {verb} it: a slow rank finds it"
            )
            yield self._reported(writers, Place.of(test), message, _patient_or_not)

    def _reported(self, writers: Writers, test: Place, message: str, answer_of: Callable[[Event], Answer]) -> Finding:
        event, program = writers.event, writers.program
        because, way = Because.TIMING, [*notes.led_here(event)]
        if program is not None:
            because, way = Because.NOT_WALKED, [notes.related(program, "a program of several processes calls it here")]
        elif event.effect == Effect.CREATE_DIR:
            because = Because.AS_WRITTEN
        return self.finding(
            Place.of(event),
            f"{message} ({event.callee})",
            because=because,
            notes=(Note("guard", test, "each rank asks for itself"), *way),
            answer=answer_of(event),
        )


def _subject(writers: Writers) -> str:
    return "every rank tests" if writers.are_all else f"{reporting.who(writers.ranks)} test"


def _verb(writers: Writers) -> str:
    verb = _VERBS[writers.event.effect]
    return verb if writers.are_all else verb.replace("ies ", "y ").replace("s it", " it")


def _lenient(event: Event) -> Answer:
    from ddplint_rules.fixes.rank_zero import existing_allowed

    return existing_allowed(event)


def _is_asked_again(walk: Walk, event: Event, since: int) -> bool:
    """Whether anything is looked for, or the very file is read, between two moments."""
    rank = min(event.ranks)
    asked = walk.doing(Effect.EXISTS, Effect.LIST, Effect.READ)
    between = (one for one in asked if since < one.order < event.order)
    return any(one.effect is not Effect.READ or one.looked_at(rank) in event.changed(rank) for one in between)


def _again(event: Event) -> Answer:
    return Answer(no_fix="test again under the lock")


def _patient_or_not(event: Event) -> Answer:
    return Answer(no_fix="let all ranks meet in a barrier between the test and the step that makes it")


def _patient(event: Event) -> Answer:
    from ddplint_rules.fixes.rank_zero import met_first

    return met_first(event)
