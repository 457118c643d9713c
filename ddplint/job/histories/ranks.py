"""What ranks record of themselves, and where their histories differ: plain values, without torch or threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Frame = tuple[str, int, str]


@dataclass(frozen=True)
class Entry:
    """An operation a rank entered: ``terms`` are root and reduction, ``sizes`` shapes and types as text.

    ``at``: the user's lines (file, line, function), outermost first; ``via``: the library's function that they call.
    ``seconds`` it took, where that is known.
    """

    op: str
    terms: tuple[str, ...] = ()
    sizes: str = ""
    at: tuple[Frame, ...] = ()
    via: str = ""
    seconds: float | None = None

    @property
    def what(self) -> str:
        """The operation with what it says, and the library's function it belongs to."""
        if not self.via or self.op.startswith("DDP"):
            through = ""
        else:
            through = f" ({self.via})" if self.op == "init_process_group" else f" (in {self.via})"
        return " ".join((self.op, *self.terms)) + through

    @property
    def where(self) -> str:
        """The innermost of the user's lines."""
        return place(self.at)


@dataclass
class Rank:
    """What is known of one rank. ``groups``: members and entries by number (from 1) for every group's key.

    ``state``: ``running``, ``ended``, ``failed`` (it raised), ``silent`` (it did not answer). ``open``: group, number
    and seconds of the operation it is in. ``stands``: the user's lines where its main thread
    is. ``last``: the number of its last operation in each group.
    """

    number: int
    state: str = "running"
    members: dict[str, tuple[int, ...]] = field(default_factory=dict)
    groups: dict[str, dict[int, Entry]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    open: tuple[str, int, float] | None = None
    stands: tuple[Frame, ...] = ()
    error: str = ""

    def current(self) -> Entry | None:
        """The operation it is in."""
        return None if self.open is None else self.groups.get(self.open[0], {}).get(self.open[1])


@dataclass(frozen=True)
class Difference:
    """The first number of a group at which ranks differ, and what each does there (``None``: it has not come so far).

    ``kind``: ``signature`` (what all must say alike differs), ``line`` (the same from other lines) or ``behind``.
    """

    group: str
    seq: int
    kind: str
    sides: Mapping[int, Entry | None]


def difference(ranks: Sequence[Rank], group: str) -> Difference | None:
    """The first difference between the members of a group, as far as all of them remember.

    Operations of other lines count only where nothing else differs before: two branches may hold the same collective.
    """
    members = [rank for rank in ranks if group in rank.last]
    if len(members) < 2:
        return None
    first = max(min(rank.groups[group], default=rank.last[group] + 1) for rank in members)
    last = max(rank.last[group] for rank in members)
    for seq in range(first, last + 1):
        sides = {rank.number: rank.groups[group].get(seq) for rank in members}
        kind = _kind(list(sides.values()))
        if kind:
            return Difference(group, seq, kind, sides)
    return None


def _kind(sides: Sequence[Entry | None]) -> str:
    known = [one for one in sides if one is not None]
    if any(signature_differs(known[0], one) for one in known[1:]):
        return "signature"
    if any(one.at != known[0].at for one in known[1:]):
        return "line"
    return "behind" if 0 < len(known) < len(sides) else ""


def signature_differs(one: Entry, other: Entry) -> bool:
    """Whether two operations can never be one."""
    return (one.op, one.terms, one.sizes) != (other.op, other.terms, other.sizes)


def place(at: Sequence[Frame]) -> str:
    """The innermost line as ``file:line in function``."""
    if not at:
        return "an unknown line"
    path, line, function = at[-1]
    return f"{path}:{line}" + (f" in {function}" if function and function != "<module>" else "")


def group_name(ranks: Sequence[int], group: str) -> str:
    """A group for people."""
    if group.partition("#")[0] in ("all", "start"):
        return "all ranks"
    return rank_names(ranks)


def rank_names(ranks: Sequence[int]) -> str:
    """``rank 3`` or ``ranks 0, 2-5``."""
    parts = [f"{one[0]}-{one[-1]}" if len(one) > 2 else ", ".join(map(str, one)) for one in _runs(sorted(ranks))]
    return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(parts)


def _runs(ranks: Sequence[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for rank in ranks:
        if run and rank != run[-1] + 1:
            yield run
            run = []
        run.append(rank)
    if run:
        yield run
