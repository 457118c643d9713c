"""What is kept of a dump: operations, groups, and how far a rank came in each."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from ddplint.job.triage.facts import LIBRARY, Code

Sizes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Group:
    """A process group. Two may share a name (``split_group``) and differ in their members, which are global ranks.

    ``known`` is false where no dump lists the members: they are then those that were seen in it. There is one object
    for each group (:class:`Groups`), so that hashing does not go through thousands of members.
    """

    name: str
    members: tuple[int, ...]
    description: str = ""
    known: bool = True

    @property
    def label(self) -> str:
        """What the program calls it and the name that all its ranks share, as logs are read too."""
        if self.description == "default_pg":
            return self.description
        name = self.name or "0"
        return name if self.description in ("", "undefined") else f"{self.description} {name}"

    def __str__(self) -> str:
        return f"group {self.label}"


class Groups:
    """The groups of a job, by name and members."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, tuple[int, ...], bool], Group] = {}

    def __call__(self, name: str, members: tuple[int, ...], description: str = "", known: bool = True) -> Group:
        """The one group of that name with these members."""
        return self._known.setdefault((name, members, known), Group(name, members, description, known))


@dataclass(frozen=True, slots=True)
class Op:
    """One operation that a rank enqueued. ``number`` counts in the group; what two ranks do (``paired``) counts apart.

    ``between`` are the two global ranks, who sends first; ``pairs`` is the last number of those when it was enqueued;
    ``parts`` are the operations of a coalesced one.
    """

    rank: int
    group: Group
    number: int
    name: str
    between: tuple[int, int] | None = None
    paired: bool = False
    pairs: int = 0
    inputs: Sizes = ()
    outputs: Sizes = ()
    types: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    started: bool = False
    done: bool = False
    order: int = 0
    time: int = 0
    timeout: int | None = None
    frames: tuple[Code, ...] = ()
    parts: tuple[Op, ...] = ()

    @property
    def elements(self) -> int | None:
        """How many elements go in; ``None`` where the dump does not say."""
        return sum(map(prod, self.inputs)) if self.inputs else None

    @property
    def own(self) -> Code | None:
        """The innermost frame that is not of a library."""
        return next((code for code in reversed(self.frames) if not LIBRARY.search(code.path)), None)


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of the last collective that a rank enqueued, started (``None``: not told) and completed in a group."""

    enqueued: int
    started: int | None
    completed: int


@dataclass
class Dump:
    """What one rank wrote: its operations in the order in which it enqueued them, its counts, and groups it is in."""

    rank: int
    where: str
    ops: list[Op] = field(default_factory=list)
    counts: dict[Group, Counts] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()

    @property
    def pending(self) -> list[Op]:
        """What it enqueued and did not see completed."""
        return [op for op in self.ops if not op.done]
