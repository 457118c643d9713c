"""What the generator knows while it writes a program: names in scope, helpers, and how careful the author is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

T = TypeVar("T")
Lines = list[str]


class Choose(Protocol):
    """Where choices come from: hypothesis (shrinks towards ``low``) or a random generator (independent programs)."""

    def __call__(self, low: int, high: int, /) -> int: ...


@dataclass(frozen=True)
class Call:
    """A way to run project code. ``inert``: it issues no collective. ``parts``: it issues them on some ranks only."""

    text: str
    inert: bool
    parts: bool = False


@dataclass(frozen=True)
class Group:
    """A process group: its variable, its members, and conditions that are true exactly on its members."""

    name: str
    members: tuple[int, ...]
    inside: tuple[str, ...]


@dataclass(frozen=True)
class Keyworded:
    """A function that communicates as an option says: where ``key`` is ``quiet``, it does nothing."""

    name: str
    key: str
    quiet: bool


@dataclass(frozen=True)
class Scope:
    """Names that a statement may use.

    ``rank``: spellings of the global rank. ``mains``: pairs of a condition and its complement that part the ranks.
    ``flags``: uniform conditions. ``counts``: uniform small integers. ``tainted``: conditions that hold on some ranks.
    ``sync``: spellings of a barrier call. ``managers``: context managers that order the ranks around their body, each
    with whether the body is apart. ``whens``: functions that run their second argument if the first is true.
    ``rounds``: iterables with equal rounds everywhere; ``shards``: functions that give each rank its part of a list.
    ``agreers``: functions that make a flag the same everywhere; ``averagers``: the same for numbers.
    ``keyworded``: functions that take options by keyword.
    ``leave``: how to leave the function (``pass`` where that is not allowed). ``hand_down``: ``args`` is not global.
    """

    rank: tuple[str, ...]
    mains: tuple[tuple[str, str], ...] = ()
    flags: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    tainted: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    groups: tuple[Group, ...] = ()
    sync: tuple[str, ...] = ("dist.barrier()",)
    managers: tuple[tuple[str, bool], ...] = ()
    whens: tuple[str, ...] = ()
    rounds: tuple[str, ...] = ()
    shards: tuple[str, ...] = ()
    agreers: tuple[str, ...] = ()
    averagers: tuple[str, ...] = ()
    keyworded: tuple[Keyworded, ...] = ()
    loop: bool = False
    depth: int = 0
    parted: bool = False
    leave: str = "return"
    hand_down: bool = False

    def inner(self, parted: bool = False, loop: bool = False) -> Scope:
        """The scope of a nested block."""
        return replace(self, depth=self.depth + 1, parted=self.parted or parted, loop=self.loop or loop)


@dataclass
class Draft:
    """One program being written. ``careful``: nothing collective where ranks have parted; ``holes``: mistakes left.

    ``module``: what stands in a module of its own, and ``imported`` from there; ``head``: what stands before all else.
    """

    number: Choose
    careful: bool = True
    holes: int = 0
    budget: int = 14
    locals_left: int = 2
    features: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    imported: list[str] = field(default_factory=list)
    module: Lines = field(default_factory=list)
    head: Lines = field(default_factory=list)

    def pick(self, options: Sequence[T]) -> T:
        """One of ``options``; the first is the simplest."""
        return options[self.number(0, len(options) - 1)]

    def maybe(self, percent: int = 50) -> bool:
        """True in about ``percent`` of programs; false is the simpler."""
        return self.number(0, 99) >= 100 - percent

    def fresh(self, stem: str) -> str:
        """A name that nothing in the program has yet."""
        name, count = stem, 1
        while name in self.used:
            count += 1
            name = f"{stem}{count}"
        self.used.add(name)
        return name

    def place(self, name: str, lines: Lines, here: bool = False) -> str:
        """Put a definition into the other module, or before all else in this one; the name by which it is used."""
        if here or self.maybe(35):
            self.head += ["", "", *lines]
            return name
        self.features.add("module")
        self.module += ["", "", *lines]
        self.imported.append(name)
        return name

    def may_communicate(self, scope: Scope) -> bool:
        """Whether a collective may stand here; spends a hole where ranks have parted."""
        if not scope.parted or not self.careful:
            return True
        if self.holes > 0 and self.maybe(60):
            self.holes -= 1
            return True
        return False


def indent(lines: Iterable[str]) -> Lines:
    """``lines`` one level deeper."""
    return [f"    {line}" if line else "" for line in lines]
