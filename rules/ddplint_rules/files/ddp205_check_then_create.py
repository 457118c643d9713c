"""DDP205 check-then-create."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ddplint.rule import Answer, Because, Effect, Event, Finding, Harm, Note, Place, Rule, Severity, Walk, notes
from ddplint.rule.facts import asked_around, place_and_caller, tolerance, writers
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
    behind one call that leads to nothing which ranks do together are one finding.

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
            for event in walk.events:
                if event.effect not in _VERBS:
                    continue
                place = place_and_caller(event)
                if place in reported:
                    opened.append(event)
                    continue
                if walk.is_by_all(event, among=walks):
                    finding = self._raced(walk, event, walks) or self._refused(walk, event)
                else:
                    finding = self._asked_too_early(walk, event, walks)
                if finding is not None and not writers.is_opened_by(event, [*reported.values(), *opened]):
                    reported[place] = event
                    yield finding, event

    def _raced(self, walk: Walk, event: Event, walks: Sequence[Walk]) -> Finding | None:
        test = _test_of(walk, event)
        if test is None or tolerance.tolerates(event) or walk.refused(event) is not None:
            return None
        if walk.one_goes_first(event, walks):
            return None
        who = writers.writers(event) or event.ranks
        message = f"{_subject(event, who)} for the same path, then {_verb(event, who)}"
        return self._reported(event, test, message, _lenient)

    def _asked_too_early(self, walk: Walk, event: Event, walks: Sequence[Walk]) -> Finding | None:
        """What is done under a lock, by the answer to a question that was asked before the lock was taken."""
        if tolerance.tolerates(event) or not walk.is_by_all(event, among=walks, locked=True):
            return None
        taken = min(lock.order for lock in walk.locks_around(event))
        test = walk.tested(event)
        if test is None or test.order > taken or _is_asked_again(walk, event, taken):
            return None
        message = f"every rank that waited for the lock {_VERBS[event.effect]} again: it tested before it had the lock"
        return self._reported(event, Place(test.file, test.node), message, _again)

    def _refused(self, walk: Walk, event: Event) -> Finding | None:
        test = walk.refused(event)
        if test is None or _met_between(walk, test, event):
            return None
        message = f"every rank raises if the path is there, then {_VERBS[event.effect]}: a slow rank finds a fast one's"
        return self._reported(event, Place(test.file, test.node), message, _patient)

    def _refused_to_others(self, walk: Walk, reported: dict[tuple[int, int], Event]) -> Iterator[Finding]:
        """What some ranks write while others may still be about to raise because it is there."""
        for event in walk.events:
            test = walk.refused_to_others(event)
            place = place_and_caller(event)
            if test is None or place in reported or writers.is_opened_by(event, reported.values()):
                continue
            reported[place] = event
            who = tuple(sorted(event.ranks))
            verb = reporting.verb(who, "write")
            message = (
                f"every rank raises if the path is there, then {reporting.who(who)} {verb} it: a slow rank finds it"
            )
            yield self._reported(event, Place(test.file, test.node), message, _patient_or_not)

    def _reported(self, event: Event, test: Place, message: str, answer_of: Callable[[Event], Answer]) -> Finding:
        answer = answer_of(event)
        return self.finding(
            Place(event.file, event.node),
            f"{message} ({event.callee})",
            because=Because.AS_WRITTEN if event.effect == Effect.CREATE_DIR else Because.TIMING,
            notes=(Note("guard", test, "each rank asks for itself"), *notes.led_here(event)),
            answer=answer,
        )


def _test_of(walk: Walk, event: Event) -> Place | None:
    """Where each rank asks for the path that it then changes, be it of something whose class nobody knows."""
    test = walk.tested(event)
    if test is not None:
        return Place(test.file, test.node)
    question = asked_around(event) if walk.may_be_tested(event) else None
    return Place(event.file, question) if question is not None else None


def _subject(event: Event, who: frozenset[int]) -> str:
    return "every rank tests" if who == event.everyone else f"{reporting.who(who)} test"


def _verb(event: Event, who: frozenset[int]) -> str:
    verb = _VERBS[event.effect]
    return verb if who == event.everyone else verb.replace("ies ", "y ").replace("s it", " it")


def _met_between(walk: Walk, test: Event, event: Event) -> bool:
    pairs = ((one, other) for one in event.ranks for other in event.ranks if one != other)
    return any(walk.comes_before(test, one, event, other) for one, other in pairs)


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
