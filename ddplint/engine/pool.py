"""The check of many files in several processes."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ddplint.project.schedule import Step
from ddplint.project.visits import Visited
from ddplint.source.file import SourceFile
from ddplint.util.stack import on_deep_stack

if TYPE_CHECKING:
    from concurrent.futures import Future


Record = dict[str, Any]
Work = Callable[[Step, list[Visited]], Record]
"""Walks a step, given the numbers of its functions that were run before; the record of the outcome."""

_WORTH = 150_000
"""Bytes of source to be walked from which on a second process pays."""

_TICK = 0.25
"""Seconds between two looks at what is under way."""

_state: Callable[[int, list[Visited]], Record] | None = None


def processes_for(steps: Sequence[Step], jobs: int) -> int:
    """How many processes to use.

    Parameters: ``steps`` to be walked; ``jobs``, how many the user wants at most (0: as many as there are CPUs).
    """
    if jobs == 1 or threading.active_count() > 1:
        return 1
    size = sum(len(step.file.data) for step in steps)
    return max(1, min(jobs or _cpus(), len(steps), size // _WORTH + 1))


def spread(
    steps: Sequence[Step],
    missing: Sequence[Step],
    processes: int,
    *,
    begin: Callable[[list[Step]], Work],
    seen: Callable[[Step], list[Visited]],
    recall: Callable[[Step], bool],
    take: Callable[[Step, Record, float], None],
    under_way: Callable[[list[str]], None],
) -> None:
    """Walk the ``missing`` ones of ``steps`` in several processes, each when those before it are done.

    Parameters: ``begin`` is called once in each process, so it must survive pickling; ``seen`` gives the functions of
    a step's file that were run before; ``recall`` tells whether nothing has to be done for a step after all; ``take``
    gets the outcomes as records, with the seconds that each took; ``under_way`` is called several times a second which
    files are looked at. What a process that died (out of memory, killed) has left undone is not taken.
    """
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    waiting = list(missing)
    undone = sum(step.bit for step in missing)
    parts = [(step.file.path, step.file.data, step.uses, step.among_many) for step in steps]
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(processes, context, _begin, (parts, begin))
    running: dict[Future[tuple[Record, float]], Step] = {}

    def start() -> int:
        """Begin what can begin; how many steps needed no walk."""
        nonlocal undone
        free = [step for step in waiting if not step.above & undone]
        known = 0
        for step in sorted(free, key=lambda one: -len(one.file.data)):
            waiting.remove(step)
            if recall(step):
                undone &= ~step.bit
                known += 1
            else:
                running[pool.submit(_work, step.number, seen(step))] = step
        return known

    try:
        while waiting or running:
            if start():
                continue
            under_way([step.file.path for step in list(running.values())[:processes]])
            ready, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in ready:
                step = running.pop(future)
                take(step, *future.result())
                undone &= ~step.bit
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parts: list[tuple[str, bytes, frozenset[str] | None, bool]], begin: Callable[[list[Step]], Work]) -> None:
    global _state
    steps = [Step(SourceFile(path, data), uses, among_many=many) for path, data, uses, many in parts]
    work = begin(steps)
    _state = lambda number, seen: on_deep_stack(lambda: work(steps[number], seen))  # noqa: E731


def _work(number: int, seen: list[Visited]) -> tuple[Record, float]:
    assert _state is not None
    began = time.monotonic()
    return _state(number, seen), time.monotonic() - began


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
