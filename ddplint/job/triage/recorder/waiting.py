"""Who waits for whom: each rank stands at the first operation that it did not see completed.

A graph of ranks and places (an operation of a group that all its members, or both of a pair, have to come to). A rank
leads to the places of its operation, a place to those who keep it: members that have not come to it, or that are held
up elsewhere. Where the ways end is the cause; ranks from which no way ends wait for each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ddplint.job.triage.recorder.comparing import Mismatch, compared, paired_apart
from ddplint.job.triage.recorder.groups import Job
from ddplint.job.triage.recorder.model import Group, Op

_ONE_SIDED = ("broadcast", "reduce", "_broadcast_oop", "_reduce_oop", "scatter", "gather", "send", "recv", "")
"""Operations that one rank may complete although another never comes to them."""


@dataclass(frozen=True)
class Place:
    """A collective by its ``number`` in the group, or the ``number``-th that is pending ``between`` two ranks."""

    group: Group
    number: int
    between: tuple[int, int] | None = None

    @property
    def members(self) -> tuple[int, ...]:
        """Global ranks that have to come here."""
        return self.between or self.group.members


class Waiting:
    """The graph of one job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.heads = {rank: dump.pending[0] for rank, dump in job.dumps.items() if dump.pending}
        self._seen_completed: dict[Place, tuple[int, ...]] = {}
        self.there: dict[Place, dict[int, Op]] = defaultdict(dict)
        for rank, dump in job.dumps.items():
            passed: dict[object, int] = defaultdict(int)
            for op in dump.pending:
                for place, part in self._places(op, passed):
                    self.there[place][rank] = part
        self.at = {
            rank: [place for place, part in self._places(op, defaultdict(int))] for rank, op in self.heads.items()
        }

    def _places(self, op: Op, passed: dict[object, int]) -> Iterator[tuple[Place, Op]]:
        """Where ``op`` has to be met; ``passed`` counts those between two ranks."""
        if not op.paired:
            yield Place(op.group, op.number), op
        for part in op.parts or (op,):
            if part.paired and part.between is not None:
                passed[part.group, part.between] += 1
                yield Place(part.group, passed[part.group, part.between], part.between), part

    @cached_property
    def stalled(self) -> dict[int, Op]:
        """Ranks that did not see completed what another member completed, with the first such operation."""
        found: dict[int, Op] = {}
        for rank in self.heads:
            for op in self.job.dumps[rank].pending:
                place = Place(op.group, op.number)
                sure = not op.paired and op.name not in _ONE_SIDED and self.mismatch(place) is None
                if sure and self.completed(place):
                    found[rank] = op
                    break
        return found

    @cached_property
    def unstarted(self) -> dict[int, Op]:
        """Ranks whose device did not begin with what runs on other members already."""
        found: dict[int, Op] = {}
        for rank, op in self.heads.items() if self.job.timed else ():
            if not op.started and any(
                other.started for place in self.at[rank] for one, other in self.there[place].items() if one != rank
            ):
                found[rank] = op
        return found

    @cached_property
    def parted(self) -> dict[Group, Mismatch]:
        """For each group the first collective to which members came with what may not differ.

        It need not be the one that hangs: NCCL lets different operations meet, and the ranks wait one later.
        """
        found: dict[Group, Mismatch] = {}
        for (group, _), met in sorted(self.job.met.items(), key=lambda pair: pair[0][1]):
            if group not in found and len(met) > 1:
                mismatch = compared(met)
                if mismatch is not None and mismatch.kind != "shape":
                    found[group] = mismatch
        return found

    def mismatch(self, place: Place) -> Mismatch | None:
        """Where the members of its group parted, at this place or before it."""
        found = self.parted.get(place.group)
        return found if found is not None and found.number <= place.number and not place.between else None

    def apart(self, place: Place) -> str:
        """In what a send and its receive differ, which have met: ``size``, ``type``, or empty."""
        sender, receiver = (self.there[place].get(rank) for rank in place.between or (-1, -1))
        return "" if sender is None or receiver is None else paired_apart(sender, receiver)

    def completed(self, place: Place) -> tuple[int, ...]:
        """Members that completed the collective."""
        if place not in self._seen_completed:
            self._seen_completed[place] = tuple(rank for rank in place.members if self._completed(rank, place))
        return self._seen_completed[place]

    def _completed(self, rank: int, place: Place) -> bool:
        op = self.job.met.get((place.group, place.number), {}).get(rank)
        counts = self.job.counts(rank, place.group)
        return op.done if op is not None else counts is not None and counts.completed >= place.number

    def lacking(self, place: Place) -> tuple[int, ...]:
        """Members that did not enqueue it; those without a dump among them."""
        here = self.there[place]
        return tuple(rank for rank in place.members if rank not in here and not self._passed(rank, place))

    def _passed(self, rank: int, place: Place) -> bool:
        if place.between:
            return False
        counts = self.job.counts(rank, place.group)
        return counts is not None and counts.enqueued >= place.number

    def keepers(self, place: Place) -> tuple[int, ...]:
        """Who keeps a place: members that lack, else those that are (or in the same batch may be) held up elsewhere."""
        if self.mismatch(place) is not None or self.apart(place):
            return ()
        return self.lacking(place) or tuple(rank for rank in self.there[place] if self._elsewhere(rank, place))

    def _elsewhere(self, rank: int, place: Place) -> bool:
        return self.at.get(rank, []) != [place] or self.ends(rank)

    def complete(self, place: Place) -> bool:
        """Whether all members stand here, and no earlier operation holds one of them."""
        return not self.lacking(place) and all(place in self.at.get(rank, ()) for rank in self.there[place])

    def ends(self, rank: int) -> bool:
        """Whether the way ends at ``rank``: it waits for nobody."""
        return rank not in self.heads or rank in self.stalled or rank in self.unstarted

    @cached_property
    def kept(self) -> Mapping[Place, tuple[int, ...]]:
        """The keepers of every place at which a rank stands."""
        return {place: self.keepers(place) for places in self.at.values() for place in places}
