"""Run something on a stack deep enough for deeply nested code."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

_STACK_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 20_000
_TICK = 0.25
"""Seconds between two calls of ``meanwhile``."""

T = TypeVar("T")


def on_deep_stack(function: Callable[[], T], meanwhile: Callable[[], None] | None = None) -> T:
    """What ``function()`` returns or raises.

    It runs in a thread of its own, because only there the stack can be made larger (the memory is taken as it is
    used): the native parser has no limit of its own, and Python's is low. Where the system refuses the larger stack, it
    runs right here. ``meanwhile`` is called a few times a second while this thread waits.
    """
    answers: list[T] = []
    troubles: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(function())
        except BaseException as error:
            troubles.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    thread = threading.Thread(target=work, name="ddplint", daemon=True)
    try:
        threading.stack_size(_STACK_BYTES)
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        thread.start()
    except (RuntimeError, ValueError):
        sys.setrecursionlimit(limit)
        return function()
    finally:
        threading.stack_size(size)
    try:
        while meanwhile is not None and thread.is_alive():
            thread.join(_TICK)
            meanwhile()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
    if troubles:
        raise troubles[0]
    return answers[0]
