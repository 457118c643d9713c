"""What a write does where another rank was there before it: it minds, or it does not; some test asked, or none did."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.facts.files import sharing
from ddplint.analysis.facts.files.existence import (
    asks_inside,
    found_first,
    is_done_inside,
    looked_for,
    refuses,
    tests,
    tests_at,
)
from ddplint.analysis.facts.handlers import is_caught
from ddplint.analysis.facts.ranks import multiplicity, order
from ddplint.analysis.trace import paths
from ddplint.analysis.trace.events import Event, Walk
from ddplint.analysis.trace.targets import is_path


def tolerates(event: Event) -> bool:
    """Whether the call was told that others may have done it already, or the program catches what it raises then."""
    row = event.api
    if row is None or is_caught(event):
        return row is not None
    flags = (row.exist_ok, row.missing_ok_by, row.ignore_errors)
    return any(event.has(flag) for flag in flags if flag.name)


def tested(walk: Walk, event: Event) -> Event | None:
    """The test for the very path that an event changes, where the ranks come to the event by its answer."""
    rank = min(sharing.who(event))
    changed = event.changed(rank) | _moved_to(walk, event, rank)
    for guard in event.guards:
        for test in tests_at(walk, guard):
            if looked_for(walk, test, rank) & changed:
                return test
    return next((test for test in _tests_of(walk, changed, rank) if found_first(test, event)), None)


def _moved_to(walk: Walk, event: Event, rank: int) -> frozenset[paths.Path]:
    """Where the program then moves what an event writes: into the place of the file that was asked for."""
    if event.effect not in (Effect.WRITE, Effect.COPY, Effect.DOWNLOAD):
        return frozenset()
    own, found = event.written(rank), frozenset[paths.Path]()
    for other in walk.doing(Effect.MOVE):
        if other.order > event.order and rank in other.ranks:
            found |= {other.written(rank)} if own and other.looked_at(rank) == own else frozenset()
    return found


def may_be_tested(walk: Walk, event: Event) -> bool:
    """Whether the program comes here after asking ``exists()`` of something unknown that the path is made of.

    Where it comes whatever the answer is, it was asked for another reason: to go on from what a run before has left.
    """
    question = paths.asked_for(event.path).get(event.written(min(event.ranks)))
    if question is None:
        return False
    answer = event.path[question]
    return not any(other.path.get(question) is (not answer) for other in walk.events if other.node is event.node)


def _tests_of(walk: Walk, any_of: frozenset[paths.Path], rank: int) -> Iterator[Event]:
    """The tests for one of these paths."""
    return (event for event in tests(walk) if event.effect == Effect.EXISTS and looked_for(walk, event, rank) & any_of)


def refused(walk: Walk, event: Event) -> Event | None:
    """A test before the event that raises if the path is there which the event then creates."""
    if event.effect not in (Effect.CREATE_DIR, Effect.WRITE, Effect.COPY, Effect.LINK):
        return None
    rank = min(sharing.who(event))
    made = event.changed(rank)
    before = (test for test in tests(walk) if event.ranks <= test.ranks)
    return next((test for test in before if _refuses_what(walk, test, event, made, rank)), None)


def _refuses_what(walk: Walk, test: Event, event: Event, made: frozenset[paths.Path], rank: int) -> bool:
    """Whether a test before an event raises where it finds what the event has ``made``: a folder alone is empty."""
    same = looked_for(walk, test, rank) & made if test.effect == Effect.EXISTS and test.order <= event.order else None
    if (
        not same
        or not test.agrees_with(event)
        or is_done_inside(test, event)
        or not refuses(test, _tests_of(walk, same, rank))
    ):
        return False
    return event.effect != Effect.CREATE_DIR or not asks_inside(test, _listings_of(walk, same, rank))


def _listings_of(walk: Walk, any_of: frozenset[paths.Path], rank: int) -> Iterator[Event]:
    """What lists one of these paths."""
    return (event for event in tests(walk) if event.effect == Effect.LIST and looked_for(walk, event, rank) & any_of)


def refused_to_others(walk: Walk, event: Event) -> Event | None:
    """A test that all ranks make, and raise if the path is there, which some of them then make with no wait between."""
    if event.by_all or not event.by_some:
        return None
    made = _made(event)
    if not made or not (multiplicity.run_together(walk, event) or multiplicity.asks_beside(walk, event)):
        return None
    rank = min(event.ranks)
    for test in tests(walk):
        if not event.ranks < test.ranks or not _refuses_what(walk, test, event, made, rank):
            continue
        if not any(order.comes_before(walk, test, other, event, rank) for other in test.ranks - event.ranks):
            return test
    return None


def _made(event: Event) -> frozenset[paths.Path]:
    """The path that an event makes; of a call that nobody can follow, one under which it is to save something."""
    if event.effect in (Effect.CREATE_DIR, Effect.WRITE, Effect.COPY, Effect.LINK):
        return event.changed(min(event.ranks))
    if event.effect != Effect.OPAQUE or not sharing.is_named_after_saving(event):
        return frozenset()
    return frozenset(path for value in event.args if is_path(value) and (path := paths.path_of(value)))
