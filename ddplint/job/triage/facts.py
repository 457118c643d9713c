"""What a log or a dump tells, before anybody judges it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["LIBRARY", "MOST_KEPT", "Code", "Death", "Evidence", "Sign", "Stack", "Wait"]

MOST_KEPT = 4096
"""The most facts of one sort that are kept; a log that repeats itself for gigabytes tells nothing new."""

LIBRARY = re.compile(
    r"(?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3|^<"
    r"|^(?:torch|accelerate|deepspeed|lightning\w*|pytorch_lightning|transformers|numpy|concurrent|multiprocessing)[\\/]"
    r"|^(?:threading|runpy|selectors|subprocess|queue|socket)\.py$"
)
"""Paths of files that are not the user's; py-spy shortens those of installed packages to what follows the folder."""


@dataclass(frozen=True)
class Code:
    """A frame of a stack: a line (from 1) of a file as the log spells it."""

    path: str
    line: int
    function: str = ""


@dataclass(frozen=True)
class Wait:
    """A rank that gave up waiting (``rank`` is ``None`` where the log does not say which).

    ``op`` is spelled as in the log (``ALLREDUCE``), ``seq`` counts within the group, ``timeout`` is in milliseconds.
    """

    rank: int | None
    op: str = ""
    seq: int | None = None
    elements: int | None = None
    timeout: int | None = None
    group: str = ""
    where: str = ""


@dataclass(frozen=True)
class Stack:
    """Where a rank stood, outermost frame first, with the error it raised (empty: a stack dump of a living process)."""

    rank: int | None
    frames: tuple[Code, ...]
    error: str = ""
    where: str = ""

    @property
    def own(self) -> Code | None:
        """The innermost frame that is not of a library."""
        return next((code for code in reversed(self.frames) if not LIBRARY.search(code.path)), None)


@dataclass(frozen=True)
class Death:
    """A process that ended badly: ``exitcode`` (negative: a signal), ``time`` as the log spells it."""

    rank: int | None
    exitcode: int | None = None
    text: str = ""
    time: str = ""
    first: bool = False
    where: str = ""


@dataclass(frozen=True)
class Sign:
    """A line that stands for a class of cause: ``kind`` is a row's name, ``ranks`` those it names as missing."""

    kind: str
    text: str
    rank: int | None = None
    ranks: tuple[int, ...] = ()
    where: str = ""


@dataclass
class Evidence:
    """Everything read so far, in the order of the logs."""

    waits: list[Wait] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    world: int = 0
    last_said: dict[int, str] = field(default_factory=dict)
    enqueued: dict[int, tuple[int, int]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    lines: int = 0
    dumps: int = 0

    def add(self, fact: Wait | Stack | Death | Sign) -> None:
        """Keep ``fact`` unless it is known or there are too many of its sort."""
        kept: list[Wait] | list[Stack] | list[Death] | list[Sign]
        if isinstance(fact, Wait):
            kept = self.waits
        elif isinstance(fact, Stack):
            kept = self.stacks
        elif isinstance(fact, Death):
            kept = self.deaths
        else:
            kept = self.signs
        if len(kept) < MOST_KEPT and fact not in kept[-8:]:
            kept.append(fact)  # type: ignore[arg-type]
        if fact.rank is not None:
            self.seen.add(fact.rank)

    @property
    def size(self) -> int:
        """How many ranks there were at least."""
        return max([self.world, *(rank + 1 for rank in self.seen)])
