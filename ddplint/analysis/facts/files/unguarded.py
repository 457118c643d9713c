"""What every rank does under one name, and nothing keeps all but one of them from it."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.analysis.domain.effects import CHANGES, SENDS, Effect
from ddplint.analysis.domain.values import Const
from ddplint.analysis.facts.calls import place_and_caller
from ddplint.analysis.facts.files.before_meeting import is_left_alike
from ddplint.analysis.facts.files.existence import asked_on_the_way
from ddplint.analysis.facts.files.little import puts_into
from ddplint.analysis.facts.files.writers import Writers
from ddplint.analysis.trace.events import Event, Walk
from ddplint.knowledge import tables

_TOLD = CHANGES | SENDS

LOGS = ("logging.", "loguru.")

_NAMED_BY_CLOCK = frozenset({Effect.WRITE, Effect.APPEND, Effect.TRACKER})
"""What every rank makes for itself under a name with the time in it, whether or not the clocks agree."""


def unguarded(walks: Sequence[Walk]) -> list[Writers]:
    """Who makes the changes that several ranks make alike under one name, each place once."""
    found: dict[tuple[int, int], Writers] = {}
    for walk in walks:
        for event in walk.doing(*_TOLD):
            place, writers = place_and_caller(event), Writers(walk, event, walks)
            if place not in found and _is_wrong(writers):
                found[place] = writers
    return list(found.values())


def _is_wrong(writers: Writers) -> bool:
    walk, event = writers.walk, writers.event
    if writers.tolerate_each_other or _is_shared_on_purpose(event) or _is_log(event) or writers.append:
        return False
    if _is_only_read(walk, event) or _others_have_raised(walk, event):
        return False
    if is_left_alike(walk, event) or _only_after_a_failure(walk, event):
        return False
    shared = writers.share(clock=event.effect in _NAMED_BY_CLOCK)
    if not shared or writers.test is not None or writers.may_have_tested:
        return False
    return not (asked_on_the_way(event) and writers.wait_for_one)


def _others_have_raised(walk: Walk, event: Event) -> bool:
    """Whether at most one rank is left that comes here: the others have read before what they have not set."""
    return any(
        unset.order < event.order
        and len(event.ranks.difference(unset.details["lacking"])) < 2
        and unset.path.items() <= event.path.items()
        for unset in walk.doing(Effect.UNSET)
    )


def _is_only_read(walk: Walk, event: Event) -> bool:
    """Whether a file is opened to be read and changed (``r+``), and nothing is seen to be put into it.

    What is mapped into memory so is not either: each rank fills the rows that are its own.
    """
    mode = event.details.get("mode")
    letters = str(mode.value) if isinstance(mode, Const) else ""
    return "r" in letters and "+" in letters and not any(puts_into(event, other) for other in walk.events)


def _only_after_a_failure(walk: Walk, event: Event) -> bool:
    """Whether fewer ranks come here unless something failed before: each process takes itself for the first one then.

    A program that goes on as many single processes where the group could not be made is asked about elsewhere.
    """
    failures = [what for what, true in event.together.items() if true and what.is_fresh("failed")]
    if any(what not in event.path for what in failures):
        return True  # else some have left before
    return bool(failures) and any(other.node is event.node and other.ranks < event.ranks for other in walk.events)


def _is_shared_on_purpose(event: Event) -> bool:
    """Whether it is opened to be added to by many: a data base, as against a file opened with a mode, or a log."""
    row = event.api
    if event.effect != Effect.APPEND or row is None:
        return False
    return not row.mode.name and not event.name.startswith(LOGS)


def _is_log(event: Event) -> bool:
    """Whether what is sent is a line of an experiment's log, and not a repository or a file of one."""
    return event.effect == Effect.UPLOAD and event.name.partition(".")[0] not in {"*", *tables.names("hubs")}
