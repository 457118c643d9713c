"""Stretches of a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Range:
    """A stretch of a file. Lines and columns count characters from 1; ``end_col`` is the first column after it."""

    start_line: int
    start_col: int
    end_line: int
    end_col: int
