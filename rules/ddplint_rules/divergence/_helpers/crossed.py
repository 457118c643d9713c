"""Ranks that wait for each other's first message: each receives before it sends, or each sends first."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Effect, Event, PerRank, Walk
from ddplint.rule.facts import agree

RECEIVES = frozenset({"recv", "recv_object_list"})
SENDS = frozenset({"send", "send_object_list"})


def crossed(walk: Walk, names: frozenset[str] = RECEIVES) -> Iterator[tuple[Event, ...]]:
    """The first receives (or sends) of ranks that wait for each other in a circle, one for each rank of it.

    What a rank does first with another one counts; who does the other of the two first, or waits for nothing, is in no
    circle. Where the walk did not see the group made, something may have been sent before.
    """
    if not walk.doing(Effect.INIT):
        return
    first: dict[int, Event] = {}
    for event in sorted(walk.doing(Effect.POINT_TO_POINT), key=lambda one: one.order):
        for rank in event.ranks:
            first.setdefault(rank, event)
    waits = {rank: peer for rank, event in first.items() if (peer := _peer(event, rank, names)) is not None}
    for start in sorted(waits):
        circle = _circle(waits, start)
        events = tuple(first[rank] for rank in circle)
        if not circle or min(circle) != start or not all(_together(one, events[0]) for one in events):
            continue
        if names is RECEIVES or all(_receives_later(walk, rank, first[rank]) for rank in circle):
            yield events


def _receives_later(walk: Walk, rank: int, sent: Event) -> bool:
    """Whether a rank receives behind what it sends: not in a thread, say, that was begun before."""
    later = (one for one in walk.doing(Effect.POINT_TO_POINT) if rank in one.ranks and one.order > sent.order)
    return any(one.name.rpartition(".")[2] in RECEIVES for one in later)


def _circle(waits: dict[int, int], start: int) -> list[int]:
    """The ranks on the way from one back to it, if there is one."""
    found = [start]
    while (peer := waits.get(found[-1])) is not None and peer not in found:
        found.append(peer)
    return found if peer == start and len(found) > 1 else []


def _together(event: Event, other: Event) -> bool:
    """Whether two places are reached in one run, and speak of the same group."""
    return event.group == other.group and agree(event.together, other.together)


def _peer(event: Event, rank: int, names: frozenset[str]) -> int | None:
    """The one rank that a rank waits for, where it waits and that is known."""
    waits = event.api is not None and event.api.framework == "torch" and event.name.rpartition(".")[2] in names
    if not waits or event.group or event.api is None:
        return None
    given = event.api.root.of(event.args, event.kwargs)
    seen = given.values[rank] if isinstance(given, PerRank) else given
    return seen.value if isinstance(seen, Const) and type(seen.value) is int else None


def words_for(event: Event) -> tuple[str, str, bool]:
    """What ranks wait for, what to do, and whether a backend may go on nevertheless: with a small message, say."""
    if event.name.rpartition(".")[2] in SENDS:
        return (
            "receives: each waits until another one does",
            "let one of them receive first, or begin with `isend`",
            True,
        )
    return "has sent: each waits for another one's message", "let one of them send first, or begin with `irecv`", False
