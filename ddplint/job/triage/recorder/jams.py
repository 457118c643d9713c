"""Where the ways of the graph end: what keeps the ranks of a job, the one that keeps most of them first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ddplint.job.triage.recorder.comparing import Mismatch
from ddplint.job.triage.recorder.model import Group, Op
from ddplint.job.triage.recorder.waiting import Place, Waiting


@dataclass(frozen=True)
class Jam:
    """One cause. ``kind``:

    - ``mismatch``: members brought different things to ``place``;
    - ``unequal``: a send and its receive differ in size or type;
    - ``idle``: ``ranks`` have nothing pending and did not come to it;
    - ``stalled``: ``ranks`` did not see completed what others of the group completed;
    - ``unstarted``: it runs on other members, and on ``ranks`` the device did not begin with it;
    - ``unrecorded``: of ``ranks``, which did not come to it as far as one can see, there is no dump;
    - ``together``: all members came, with the same;
    - ``late``: ``ranks`` came after the time limit of the others had passed;
    - ``crossed``: ``ranks`` wait for each other in several places.

    ``waiting`` are the ranks that wait for it, through others too.
    """

    kind: str
    place: Place
    ranks: tuple[int, ...]
    waiting: tuple[int, ...]
    ops: Mapping[int, Op]


def jams(waiting: Waiting) -> list[Jam]:
    """Every cause there is, the one for which most ranks wait first."""
    behind = _behind(waiting)
    found = [*_ends(waiting, behind), *_places(waiting, behind), *_crossed(waiting, behind)]
    order = {"unrecorded": 1}
    return sorted(found, key=lambda jam: (order.get(jam.kind, 0), -len(jam.waiting), jam.ranks, jam.place.number))


def _behind(waiting: Waiting) -> dict[object, set[int]]:
    """For each rank and place the ranks from which a way leads to it."""
    into: dict[object, set[object]] = defaultdict(set)
    for rank, places in waiting.at.items():
        for place in () if waiting.ends(rank) else places:
            into[place].add(rank)
    for place, keepers in waiting.kept.items():
        for rank in keepers:
            into[rank].add(place)
    return {node: _reached(node, into) for node in list(into)}


def _reached(node: object, into: Mapping[object, set[object]]) -> set[int]:
    seen: set[object] = set()
    todo = [node]
    while todo:
        for one in into.get(todo.pop(), ()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    return {one for one in seen if isinstance(one, int)}


def _ends(waiting: Waiting, behind: Mapping[object, set[int]]) -> Iterator[Jam]:
    """Ranks that wait for nobody, together where they keep the same place."""
    kinds: dict[tuple[str, Place], list[int]] = defaultdict(list)
    keepers = {rank for kept in waiting.kept.values() for rank in kept if waiting.ends(rank)}
    for rank in sorted(keepers | waiting.stalled.keys()):
        kind, place = _end(rank, waiting, behind)
        kinds[kind, place].append(rank)
    for (kind, place), ranks in kinds.items():
        waits = set().union(*(behind.get(rank, set()) for rank in ranks)) - set(ranks)
        yield Jam(kind, place, tuple(ranks), tuple(sorted(waits)), waiting.there.get(place, {}))


def _end(rank: int, waiting: Waiting, behind: Mapping[object, set[int]]) -> tuple[str, Place]:
    for kind, ops in (("stalled", waiting.stalled), ("unstarted", waiting.unstarted)):
        if rank in ops:
            return kind, Place(ops[rank].group, ops[rank].number)
    places = [place for place, kept in waiting.kept.items() if rank in kept]
    place = max(places, key=lambda one: (len(behind.get(one, ())), -one.number, str(one)))
    return ("idle" if rank in waiting.job.dumps else "unrecorded"), place


def _places(waiting: Waiting, behind: Mapping[object, set[int]]) -> Iterator[Jam]:
    """Places that nobody keeps: a mismatch, or all are there."""
    parted: dict[Group, set[int]] = defaultdict(set)
    for place, kept in waiting.kept.items():
        if kept or place not in behind:
            continue
        if waiting.apart(place):
            yield Jam("unequal", place, (), tuple(sorted(behind[place])), waiting.there[place])
        elif waiting.mismatch(place) is None:
            yield Jam("together", place, (), tuple(sorted(behind[place])), waiting.there[place])
        else:
            parted[place.group] |= behind[place]
    for group, waits in parted.items():
        yield mismatched(waiting.parted[group], waits)


def mismatched(found: Mismatch, waits: Iterable[int]) -> Jam:
    """What keeps the ranks that ``waits`` is, where members of a group met with different things."""
    place = Place(found.group, found.number)
    return Jam("mismatch", place, found.odd, tuple(sorted(set(waits) - set(found.odd))), found.sides)


def _crossed(waiting: Waiting, behind: Mapping[object, set[int]]) -> Iterator[Jam]:
    """Ranks that wait for themselves, through others."""
    left = {rank for rank in waiting.heads if rank in behind.get(rank, ())}
    while left:
        rank = min(left)
        circle = {one for one in behind[rank] if rank in behind.get(one, ())}
        left -= circle
        if not _leads_out(circle, waiting):
            ops = {one: waiting.heads[one] for one in sorted(circle)}
            place = waiting.at[rank][0]
            if all(waiting.complete(one) for member in circle for one in waiting.at[member]):
                yield Jam("together", place, (), tuple(sorted(behind[rank] | circle)), waiting.there[place])
            else:
                yield Jam("crossed", place, tuple(sorted(circle)), tuple(sorted(behind[rank] - circle)), ops)


def _leads_out(circle: Iterable[int], waiting: Waiting) -> bool:
    """Whether a way leads out of it: then its end is the cause."""
    inside = set(circle)
    return any(
        rank not in inside for one in inside for place in waiting.at.get(one, ()) for rank in waiting.kept[place]
    ) or any(not waiting.kept[place] for one in inside for place in waiting.at.get(one, ()))
