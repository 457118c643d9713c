"""Four ranks as threads that meet in recorded collectives, run one at a time so that every run is the same.

A rank runs until it enters a collective or ends. When none can run any more, each group whose members have all
entered the same kind of collective on it is completed and its members go on. When that is impossible and somebody
still waits, the ranks have diverged.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

PROGRAM = "<program>"
WORLD_SIZE = 4
LOCAL_SIZE = 2
MAX_LINES = 20_000
MAX_OPS = 400


class Abandoned(BaseException):
    """Raised inside a rank that is still waiting when the run is over; programs do not catch it."""


class OutOfSteps(BaseException):
    """A rank executed more lines or collectives than any program of the language needs."""


@dataclass(frozen=True)
class GroupKey:
    """A process group: ``index`` counts creations on a rank (0 is the world), ``members`` are global ranks."""

    index: int
    members: tuple[int, ...]

    def __str__(self) -> str:
        return "world" if self.index == 0 else f"group{list(self.members)}"


WORLD = GroupKey(0, tuple(range(WORLD_SIZE)))


@dataclass
class Op:
    """A collective one rank entered. ``lines`` are its program lines, innermost call first; ``payload`` its data."""

    kind: str
    group: GroupKey
    lines: tuple[int, ...]
    payload: dict[str, Any] = field(default_factory=dict)


@dataclass
class Rank:
    """One rank: its thread's two locks, what it waits in, and how it ended (``""`` while it has not)."""

    number: int
    go: threading.Lock = field(default_factory=threading.Lock)
    back: threading.Lock = field(default_factory=threading.Lock)
    job: Callable[[], None] | None = None
    waiting: Op | None = None
    ended: str = ""
    error: str = ""
    trace: list[Op] = field(default_factory=list)
    groups: int = 0
    lines_left: int = MAX_LINES

    def resume(self) -> None:
        """Let the rank run until it enters a collective or ends (called by the scheduler)."""
        self.go.release()
        self.back.acquire()

    def serve(self) -> None:
        """The thread: run one job after the other."""
        while True:
            self.go.acquire()
            if self.job is None:
                return
            self.job()
            self.back.release()

    def pause(self) -> None:
        self.back.release()
        self.go.acquire()


class World:
    """Runs programs; its threads are kept between runs. Close it when done.

    ``entered`` collects the first lines of the functions (decorators included) that were executed, ``executed`` all
    lines that were. Collectives issued from the lines ``skipped`` are left out.
    """

    def __init__(self) -> None:
        self.ranks = [Rank(number) for number in range(WORLD_SIZE)]
        self.over = False
        self.entered: set[int] = set()
        self.executed: set[int] = set()
        self.skipped: frozenset[int] = frozenset()
        self.threads = []
        for rank in self.ranks:
            rank.go.acquire()
            rank.back.acquire()
            thread = threading.Thread(target=rank.serve, daemon=True)
            thread.start()
            self.threads.append(thread)

    def close(self) -> None:
        """End the threads."""
        for rank in self.ranks:
            rank.job = None
            rank.go.release()
        for thread in self.threads:
            thread.join()

    def run(self, code: CodeType, namespace: Callable[[Rank], dict[str, Any]]) -> None:
        """Execute ``code`` once per rank, each in its own ``namespace(rank)``; results are left in ``self.ranks``."""
        self.over = False
        for rank in self.ranks:
            rank.waiting, rank.ended, rank.error = None, "", ""
            rank.trace, rank.groups, rank.lines_left = [], 0, MAX_LINES
            rank.job = _job(rank, code, namespace(rank), self.entered, self.executed)
        for rank in self.ranks:
            rank.resume()
        while (ready := self._ready()) is not None:
            complete(ready, [op for rank in self.ranks if (op := rank.waiting) and op.group == ready])
            for member in ready.members:
                self.ranks[member].waiting = None
            for member in ready.members:
                self.ranks[member].resume()

    def abandon(self) -> None:
        """Unwind the ranks that still wait."""
        self.over = True
        for rank in self.ranks:
            while not rank.ended:
                rank.resume()

    def enter(self, rank: Rank, kind: str, group: GroupKey, payload: dict[str, Any]) -> None:
        """Called from inside a rank: wait until all members of ``group`` are in a collective of the same kind."""
        if self.over:
            raise Abandoned
        if rank.number not in group.members:
            return
        if len(rank.trace) >= MAX_OPS:
            raise OutOfSteps
        lines = _program_lines()
        if self.skipped.intersection(lines):
            return
        rank.waiting = Op(kind, group, lines, payload)
        rank.trace.append(rank.waiting)
        rank.pause()
        if self.over:
            raise Abandoned

    def _ready(self) -> GroupKey | None:
        """A group whose members have all entered the same kind of collective on it."""
        for rank in self.ranks:
            if (mine := rank.waiting) is None or rank.ended:
                continue
            theirs = [self.ranks[member].waiting for member in mine.group.members]
            if all(op is not None and op.group == mine.group and op.kind == mine.kind for op in theirs):
                return mine.group
        return None


def _job(
    rank: Rank, code: CodeType, namespace: dict[str, Any], entered: set[int], executed: set[int]
) -> Callable[[], None]:
    def watch_lines(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            executed.add(frame.f_lineno)
            rank.lines_left -= 1
            if rank.lines_left < 0:
                raise OutOfSteps
        return watch_lines

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != PROGRAM:
            return None
        entered.add(frame.f_code.co_firstlineno)
        return watch_lines

    def job() -> None:
        ended = "end"
        sys.settrace(watch)
        try:
            exec(code, namespace)
        except Abandoned:
            ended = "abandoned"
        except OutOfSteps:
            ended = "steps"
        except SystemExit as exit_:
            ended = "raised" if exit_.code not in (None, 0) else "end"
        except Exception as error:
            ended, rank.error = "raised", f"{type(error).__name__}: {error}"
        finally:
            sys.settrace(None)
        rank.ended = ended

    return job


def _program_lines() -> tuple[int, ...]:
    lines = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM:
            lines.append(frame.f_lineno)
        frame = frame.f_back
    return tuple(lines)


def complete(group: GroupKey, ops: list[Op]) -> None:
    """Give every member (in rank order) the result of the collective they all entered."""
    kind, first = ops[0].kind, ops[0].payload
    if kind == "all_reduce":
        total = first["op"](op.payload["tensor"].data for op in ops)
        for op in ops:
            op.payload["tensor"].data = list(total)
    elif kind == "broadcast":
        source = list(ops[group.members.index(first["src"])].payload["tensor"].data)
        for op in ops:
            op.payload["tensor"].data = list(source)
    elif kind == "all_gather":
        parts = [list(op.payload["tensor"].data) for op in ops]
        for op in ops:
            for tensor, part in zip(op.payload["tensors"], parts, strict=False):
                tensor.data = list(part)
    elif "object" in first:
        objects = [op.payload["object"] for op in ops]
        for op in ops:
            op.payload["objects"][:] = objects
    elif kind == "broadcast_object_list":
        objects = list(ops[group.members.index(first["src"])].payload["objects"])
        for op in ops:
            op.payload["objects"][:] = objects
