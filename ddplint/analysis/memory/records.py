"""What the interpreter notes beside the store, as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import libcst as cst

from ddplint.analysis.domain.origins import Origin
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Class, Instance, Value

if TYPE_CHECKING:
    from ddplint.analysis.memory.journal import Location
    from ddplint.analysis.trace.nodes import Kinds, Nodes


class Life(Enum):
    """How long a record holds. What an arm of a branch notes in one is not rolled back with the arm."""

    ENTRY = "until the entry has been walked"
    FILE = "for all walks of a file: it only grows, and is true whichever way was taken"
    SCOPED = "while something is walked: whoever sets it restores it"


class Record:
    """What one feature of the analysis notes beside the store; it belongs to the module that declares it.

    ``w.record(Kind)`` is the record of the walk, made when it is first asked for.
    """

    __slots__ = ()
    life: ClassVar[Life]


_BROKEN: Kinds = frozenset(kind.__name__ for kind in RuntimeError.__mro__)


@dataclass(slots=True)
class Body:
    """The body of a ``try`` while it is walked: how many of its ``nodes`` were behind before anything could fail.

    ``before``: what the locations that it writes held when it began; ``early``: those written before anything could
    fail. ``facts``: what holds wherever something may fail; ``seen``: what was known there last.
    """

    nodes: Nodes
    safe: int | None = None
    before: Mapping[Location, Value | None] = field(default_factory=dict)
    early: frozenset[Location] = frozenset()
    facts: Mapping[Symbol, bool] = field(default_factory=dict)
    seen: PathCondition | None = None

    def may_fail(self, path: PathCondition) -> None:
        """Note that something may fail where this is known."""
        if self.safe is None:
            self.safe, self.early, self.facts = len(self.nodes), frozenset(self.before), path.known
        elif path is not self.seen and self.facts:
            self.facts = {what: true for what, true in self.facts.items() if path.known.get(what) is true}
        self.seen = path


@dataclass(slots=True)
class Risks:
    """How many calls so far might have raised.

    ``anything``: with an exception of any class. ``own``: those of them that were given something of the rank's own, or
    fetch something. ``broken``: only with what a broken process group raises, a ``RuntimeError``
    (``torch.distributed.DistError`` and its subclasses are such). ``reads``: files that all ranks read. ``translated``:
    handlers that raise something else instead, and code of the project that was not walked: they may raise what only
    the project raises. ``watched`` are the bodies of the ``try`` statements that are being walked.
    """

    anything: int = 0
    broken: int = 0
    own: int = 0
    reads: int = 0
    translated: int = 0
    watched: list[Body] = field(default_factory=list)

    def note(self, path: PathCondition, risky: bool = True, own: bool = True) -> None:
        """Count a call that may raise anything, if it is ``risky``, where ``path`` holds."""
        if risky:
            self.anything += 1
            self.own += own
            for body in self.watched:
                body.may_fail(path)

    def so_far(self) -> Risks:
        """The present count, which does not change any more."""
        return Risks(self.anything, self.broken, self.own, self.reads, self.translated)

    def since(self, before: Risks) -> Risks:
        """The calls after an earlier count."""
        return Risks(
            self.anything - before.anything,
            self.broken - before.broken,
            self.own - before.own,
            self.reads - before.reads,
            self.translated - before.translated,
        )

    def reach(self, caught: Kinds) -> bool:
        """Whether what may be raised may come to a handler of these classes."""
        return bool(self.anything) or bool(self.broken and (not caught or caught & _BROKEN))


@dataclass(frozen=True)
class Own:
    """Where a program says that something is each rank's own, and what is known of the way there.

    ``number``: it is always there, and a number.
    """

    origin: Origin
    known: PathCondition
    number: bool = False

    def holds(self, asked: PathCondition) -> bool:
        """Whether it may be said on the way to a question: elsewhere the ranks may have agreed on it."""
        return all(asked.get(what) is not (not value) for what, value in self.known.since(PathCondition()).items())


@dataclass(slots=True)
class Promise:
    """What an annotation says of an unknown object, and the object that stands in for it once somebody asks."""

    annotation: cst.BaseExpression | None
    scope: int
    cls: Class | None = None
    is_read: bool = False
    instance: Instance | None = None


@dataclass(slots=True)
class Promises(Record):
    """What annotations say of unknown objects."""

    life = Life.FILE
    of: dict[Symbol, Promise] = field(default_factory=dict)
