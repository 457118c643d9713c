"""What a log or a dump tells, before anybody judges it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TypeAlias

MOST_KEPT = 4096
"""The most facts of one sort that are kept; a log that repeats itself for gigabytes tells nothing new."""

LIBRARY = re.compile(
    r"(?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3|^<|[\\/]s?bin[\\/][\w-]+$"
    r"|^(?:torch|accelerate|deepspeed|lightning\w*|pytorch_lightning|transformers|numpy|concurrent|multiprocessing)[\\/]"
    r"|^(?:threading|runpy|selectors|subprocess|queue|socket)\.py$"
)
"""Paths of files that are not the user's; py-spy shortens those of installed packages to what follows the folder."""


_OF_LAUNCHERS = re.compile(
    r"[\\/]torch[\\/]distributed[\\/](?:run|launch|launcher[\\/]\w+|elastic[\\/][\w\\/]+)\.py$"
    r"|[\\/](?:accelerate[\\/]commands|deepspeed[\\/]launcher|torchelastic|horovod[\\/]runner)[\\/][\w\\/]+\.py$"
    r"|[\\/]paddle[\\/]distributed[\\/](?:launch|utils|fleet[\\/]launch)\w*[\w\\/]*\.py$|[\\/]sagemaker[\\/](?:session|estimator)\.py$"
    r"|[\\/]runpy\.py$|^<frozen runpy>$|[\\/]s?bin[\\/][\w-]+$"
)
_OF_PIPES = re.compile(r"[\\/]multiprocessing[\\/](?:spawn|connection|queues|reduction|popen_\w+|resource_sharer)\.py$")
_PIPE_CLOSED = re.compile(
    r"^(?:\w+\.)*(?:EOFError|BrokenPipeError|Connection\w+Error|UnpicklingError: pickle data was truncated)"
)
_OF_SPAWN = re.compile(r"[\\/]torch[\\/]multiprocessing[\\/]spawn\.py$")


@dataclass(frozen=True)
class Code:
    """A frame of a stack: a line (from 1) of a file as the log spells it."""

    path: str
    line: int
    function: str = ""


@dataclass(frozen=True)
class Fact:
    """What one place tells. ``order`` counts the lines read, ``time`` is in seconds of the year (``None``: not said),
    ``attempt`` counts the launcher's restarts from 0, ``process`` is what the launcher calls who wrote it;
    :meth:`Evidence.add` sets them."""

    order: int = field(default=0, compare=False, kw_only=True)
    time: float | None = field(default=None, compare=False, kw_only=True)
    attempt: int = field(default=0, compare=False, kw_only=True)
    process: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True)
class Wait(Fact):
    """A rank that gave up waiting (``rank`` is ``None`` where the log does not say which).

    ``op`` is spelled as in the log (``ALLREDUCE``), ``seq`` counts within the group, ``timeout`` and ``ran`` are in
    milliseconds; ``elements`` go in, ``out`` come out.
    """

    rank: int | None
    op: str = ""
    seq: int | None = None
    elements: int | None = None
    timeout: int | None = None
    group: str = ""
    where: str = ""
    out: int | None = None
    ran: int | None = None


@dataclass(frozen=True)
class Counted(Fact):
    """How far a rank was in a group when it was asked: numbers of the last work enqueued, started and completed.

    ``failed``: the number of the work that the line is about.
    """

    rank: int | None
    group: str = ""
    enqueued: int | None = None
    completed: int | None = None
    started: int | None = None
    failed: int | None = None
    where: str = ""


@dataclass(frozen=True)
class Recorded(Fact):
    """What comparing the recordings of all ranks (Flight Recorder dumps) came to, for one group that is stuck.

    ``cause`` is the hypothesis that it speaks for (``diverged``, ``sizes``, ``slow``, ``transport``), ``ranks`` are to
    blame, ``waiting`` wait for them, ``text`` is one sentence for people. Of several the first one blocks the others.
    ``also`` are causes that it allows beside, ``last`` is where those to blame called what they
    called last, or all sides what they met with; ``unrecorded``: of those to blame nothing was recorded.
    """

    cause: str
    text: str
    ranks: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    group: str = ""
    number: int | None = None
    operation: str = ""
    where: str = ""
    also: tuple[str, ...] = ()
    last: tuple[Stack, ...] = ()
    unrecorded: bool = False

    @property
    def rank(self) -> int | None:
        """The one rank to blame, where it is one."""
        return self.ranks[0] if len(self.ranks) == 1 else None


@dataclass(frozen=True)
class Stack(Fact):
    """Where a rank stood, outermost frame first, with the error it raised (empty: a stack dump of a living process).

    ``cut``: a traceback whose error is not in the log, or only its name; ``loose``: frames of one whose head is not
    here either. ``more``: how the message goes on, on the lines behind it.
    """

    rank: int | None
    frames: tuple[Code, ...]
    error: str = ""
    where: str = ""
    cut: bool = False
    thread: bool = False
    """Whether it is of a thread beside the main one, whose process goes on."""
    more: str = field(default="", compare=False)
    loose: bool = False

    @property
    def own(self) -> Code | None:
        """The innermost frame that is not of a library."""
        return next((code for code in reversed(self.frames) if not LIBRARY.search(code.path)), None)

    @property
    def of_launcher(self) -> bool:
        """Whether it is a launcher that stood here, and no rank."""
        return bool(self.frames) and all(_OF_LAUNCHERS.search(code.path) for code in self.frames)

    @property
    def in_launcher(self) -> bool:
        """Whether the innermost frame is a launcher's: what it raised is no rank's error."""
        return bool(self.frames) and bool(_OF_LAUNCHERS.search(self.frames[-1].path))

    @property
    def of_pipe(self) -> bool:
        """Whether a pipe to another process of the same machine had closed: the process at its other end had ended."""
        return (
            bool(self.frames) and bool(_OF_PIPES.search(self.frames[-1].path)) and bool(_PIPE_CLOSED.match(self.error))
        )

    @property
    def of_parent(self) -> bool:
        """Whether it is the parent of spawned processes that raised, without saying what: a child had failed."""
        last = self.frames[-1] if self.frames else None
        raised = self.error.strip() in ("Exception", "Exception:")
        return raised and last is not None and bool(_OF_SPAWN.search(last.path)) and last.function == "join"


@dataclass(frozen=True)
class Death(Fact):
    """A process that ended badly: ``exitcode`` (negative: a signal); ``told``: its time as the log spells it."""

    rank: int | None
    exitcode: int | None = None
    text: str = ""
    told: str = ""
    first: bool = False
    where: str = ""


@dataclass(frozen=True)
class Sign(Fact):
    """A line that stands for a class of cause: ``kind`` is a row's name, ``ranks`` those it names as missing."""

    kind: str
    text: str
    rank: int | None = None
    ranks: tuple[int, ...] = ()
    where: str = ""
    level: str = ""
    """How grave the line calls itself: ``E``, ``W``, ``I``, or empty."""
    number: int | None = None
    """That of a collective, an exit code, seconds, or how many came, as the kind has it."""
    world: int = 0
    explains: bool = False
    """Whether it is the reason that stood behind a general error."""


@dataclass(frozen=True)
class Life(Fact):
    """A line with which a program gets on, or (``ended``) says that it is done."""

    rank: int | None
    text: str
    ended: bool = False
    where: str = ""


AnyFact: TypeAlias = Wait | Stack | Death | Sign | Counted | Recorded


@dataclass
class Evidence:
    """Everything read so far, in the order of the logs."""

    waits: list[Wait] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    world: int = 0
    last_said: dict[int, str] = field(default_factory=dict)
    lives: dict[tuple[int, int | None, bool], Life] = field(default_factory=dict)
    """The last sign of life of each attempt and rank, and the last end."""
    failed: set[int] = field(default_factory=set)
    """Ranks that said that something went wrong."""
    spoke: dict[str, int] = field(default_factory=dict)
    """For each log the place of its last line that is neither about a failure nor part of a longer message."""
    apart: set[str] = field(default_factory=set)
    """Names of process groups that stand for several: two ranks have the same number in them."""
    unreadable: list[str] = field(default_factory=list)
    """Files that are no text."""
    torn: bool = False
    """Whether a file could not be read to its end."""
    unread: bool = False
    """Whether a folder was too large to read all of it."""
    problems: list[str] = field(default_factory=list)
    lines: int = 0
    dumps: int = 0
    order: int = 0
    time: float | None = None
    attempt: int = 0
    process: str = ""

    def add(self, fact: AnyFact) -> None:
        """Keep ``fact`` unless it is known or there are too many of its sort."""
        kept = self._kept(fact)
        if len(kept) < MOST_KEPT and fact not in kept[-8:]:
            now = replace(fact, order=self.order, time=self.time, attempt=self.attempt, process=self.process)
            kept.append(now)
        if fact.rank is not None:
            self.seen.add(fact.rank)
            if not isinstance(fact, Recorded):
                self.failed.add(fact.rank)

    def live(self, life: Life) -> None:
        """Keep a sign of life instead of the one before."""
        fresh = replace(life, order=self.order, time=self.time, attempt=self.attempt)
        self.lives[self.attempt, life.rank, life.ended] = fresh

    def _kept(self, fact: AnyFact) -> list[AnyFact]:
        kinds: dict[type, list[AnyFact]] = {
            Wait: self.waits,  # type: ignore[dict-item]
            Stack: self.stacks,  # type: ignore[dict-item]
            Death: self.deaths,  # type: ignore[dict-item]
            Sign: self.signs,  # type: ignore[dict-item]
            Counted: self.counted,  # type: ignore[dict-item]
            Recorded: self.recorded,  # type: ignore[dict-item]
        }
        return kinds[type(fact)]

    @property
    def size(self) -> int:
        """How many ranks there were at least."""
        return max([self.world, *(rank + 1 for rank in self.seen)])
