"""Running on a deep stack."""

from __future__ import annotations

import sys
import threading

import pytest

from ddplint.util.stack import on_deep_stack


def depth(levels: int) -> int:
    return levels and 1 + depth(levels - 1)


def test_what_is_returned_and_raised_comes_through() -> None:
    assert on_deep_stack(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        on_deep_stack(lambda: 1 // 0)


def test_deep_recursion_works_and_the_limits_are_as_before() -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    with pytest.raises(RecursionError):
        depth(before[0] + 100)
    assert on_deep_stack(lambda: depth(15_000)) == 15_000
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_endless_recursion_ends() -> None:
    with pytest.raises(RecursionError):
        on_deep_stack(lambda: depth(10**9))


def test_it_runs_in_place_where_no_larger_stack_is_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert on_deep_stack(threading.current_thread) is threading.current_thread()
