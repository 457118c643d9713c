"""What becomes of an operation that not all ranks come to: what happens at run time, not what the source looks like."""

from __future__ import annotations

import enum

from ddplint.util.word import Word


class DivergenceKind(Word):
    """How the traces of two groups of ranks differ."""

    MISSING = "missing"
    """One side has an operation that the other never meets."""
    MISMATCH = "mismatch"
    """Both operate, differently."""
    ROUNDS = "rounds"
    """A loop runs unequally often."""
    EXIT = "exit"
    """One side left early."""


class Outcome(enum.Enum):
    """How the ranks fare that enter an operation.

    ``WAITS``: nobody comes. ``MISMATCHED``: the others are in an operation of another kind, or mean another thing by
    it: both wait, or get an error or garbage. ``SHIFTED``: the others' next operation is of the same kind, so that the
    two meet, one step out of line: all go on, every later result is shifted, and the last one waits or is mismatched.
    ``MEETS``: they meet what the others do next, and no rank is out of step behind it. ``LATE``: the others come to it,
    but later than those that wait may wait.
    """

    WAITS = "waits"
    MISMATCHED = "mismatched"
    SHIFTED = "shifted"
    MEETS = "meets"
    LATE = "late"
