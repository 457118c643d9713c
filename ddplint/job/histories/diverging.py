"""Positions and histories of all ranks → what is to be reported. Needs neither torch nor a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddplint.job.histories.ranks import Difference, Entry, Rank, difference

PASSES = ("DDP forward", "DDP backward")


@dataclass(frozen=True)
class Parting:
    """``kind``: ``mismatch`` (ranks say different things at one number), ``diverged``, ``behind`` (ranks have not come,
    and nothing says that they went another way), ``stuck`` (all of them are there). ``waiter`` has waited ``seconds``
    in operation ``seq`` of ``group``; ``first``: where histories differ first.
    """

    kind: str
    waiter: int
    group: str
    seq: int
    seconds: float
    ranks: tuple[Rank, ...]
    first: Difference | None

    @property
    def members(self) -> tuple[int, ...]:
        """The global ranks of the group."""
        return next((one.members[self.group] for one in self.ranks if self.group in one.members), ())

    @property
    def waited_in(self) -> Entry | None:
        """The operation that the waiter is in."""
        rank = self.rank(self.waiter)
        return None if rank is None else rank.groups.get(self.group, {}).get(self.seq)

    def rank(self, number: int) -> Rank | None:
        """What is known of a rank."""
        return next((one for one in self.ranks if one.number == number), None)

    @property
    def absent(self) -> tuple[int, ...]:
        """Members that have not come to the operation."""
        return tuple(
            one.number for one in self.ranks if one.number in self.members and one.last.get(self.group, 0) < self.seq
        )


def from_mismatch(ranks: Sequence[Rank], waiter: int, group: str) -> Parting | None:
    """A report of different operations at one number, if histories show them."""
    first = difference(ranks, group)
    later = None if first is None or first.kind == "signature" else _later_signature(ranks, group, first.seq)
    shown = later or first
    if shown is None or shown.kind != "signature":
        return None
    return Parting("mismatch", waiter, group, shown.seq, 0.0, tuple(ranks), first)


def _later_signature(ranks: Sequence[Rank], group: str, seq: int) -> Difference | None:
    """Where lines differ before operations do, the number at which operations do."""
    members = [rank for rank in ranks if group in rank.last]
    for number in range(seq + 1, max(rank.last[group] for rank in members) + 1):
        sides = {rank.number: rank.groups[group].get(number) for rank in members}
        known = [one for one in sides.values() if one is not None]
        if any((one.op, one.terms, one.sizes) != (known[0].op, known[0].terms, known[0].sizes) for one in known):
            return Difference(group, number, "signature", sides)
    return None


def from_wait(ranks: Sequence[Rank], waiter: int, group: str, seq: int, seconds: float) -> Parting | None:
    """What a long wait comes from; nothing where the others have come meanwhile."""
    first = _earliest(ranks, group)
    members = [rank for rank in ranks if group in rank.last]
    absent = [rank for rank in members if rank.last[group] < seq]
    silent = [rank for rank in ranks if rank.state in ("silent", "ended", "failed")]
    if first is None and not absent:
        waiting = all(rank.open is not None and rank.open[:2] == (group, seq) for rank in members)
        entry = next((rank.groups[group].get(seq) for rank in members if rank.number == waiter), None)
        stuck = waiting and len(members) > 1 and entry is not None and entry.op not in PASSES
        return Parting("stuck", waiter, group, seq, seconds, tuple(ranks), None) if stuck else None
    if first is not None and first.kind == "line" and not absent and not silent and _met(members, group, seq):
        return None
    kind = "diverged" if first is not None and first.kind != "behind" else "behind"
    return Parting(kind, waiter, group, seq, seconds, tuple(ranks), first)


def _met(members: Sequence[Rank], group: str, seq: int) -> bool:
    """Whether all members are in the same operation now, from the same line."""
    entries = {rank.groups[group].get(seq) for rank in members}
    return len(entries) == 1 and all(rank.last[group] == seq for rank in members)


def _earliest(ranks: Sequence[Rank], group: str) -> Difference | None:
    """The first difference of the group; of another one, where ranks that are missing here wait in that."""
    own = difference(ranks, group)
    if own is None or own.kind != "behind":
        return own
    gone = {rank for rank, entry in own.sides.items() if entry is None}
    for rank in ranks:
        if rank.number in gone and rank.open is not None and rank.open[0] != group:
            other = difference(ranks, rank.open[0])
            if other is not None and other.kind != "behind":
                return other
    return own
