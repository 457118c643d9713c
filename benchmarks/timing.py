"""Processor time of pieces of work, on a machine that others use too."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["cpu", "table"]

T = TypeVar("T")


def cpu(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of this process's processor time that ``work()`` takes, in all of its threads, and what it returns."""
    gc.collect()  # what the last piece of work left behind is not this one's to clear away
    start = time.process_time()
    answer = work()
    return time.process_time() - start, answer


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Columns as wide as they need be; the first is flush left, the others right."""
    widths = [max(len(row[column]) for row in (headings, *rows)) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in cells).rstrip()
        for cells in (list(enumerate(zip(row, widths))) for row in (headings, *rows))
    )
