"""Numbers of ours that are made of what a program says: there is one or there is none, and never an error.

A program may hold anything: ``float("inf")``, a literal of ten thousand digits, ``"a".ljust(10 ** 12)``. Nobody else
makes a number of what is written in a program, or computes with its values (``tests/util/test_figures.py`` looks).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

LARGEST = 1 << 64
"""Larger numbers are unknown: no count of anything is larger, and a power of a power would fill the memory."""

LONGEST = 2000
"""Characters of a text that is known: paths and options are shorter, and texts of data say nothing about ranks."""

_EXPONENT = 64
"""Powers and shifts by more leave the numbers that are known."""

_DIGITS = 400
"""Digits of a number that is read: more than any that is not beyond the largest anyway, binary ones included."""

_WIDE = re.compile(r"\d{4}")
"""A width that nobody wants to see."""

_GROWING = frozenset({"**", "<<"})
_PLAIN = (bool, int, float, complex, str, bytes)


def whole(value: object) -> int | None:
    """The whole number that a value of the program is; None for any other value, infinity, and what is too large."""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    return int(value) if isinstance(value, int) and abs(value) <= LARGEST else None


def written(text: str, base: int = 10) -> int | None:
    """The whole number that a text spells; with ``base`` 0 as Python writes it. None for any other text."""
    if len(text) > _DIGITS:
        return None
    try:
        return whole(int(text, base))
    except ValueError:
        return None


def decimal(text: str) -> float | None:
    """The number that a text spells, as Python writes whole and decimal ones; None for any other text."""
    number = written(text, 0)
    if number is not None:
        return float(number)
    try:
        return float(text)
    except (ValueError, OverflowError):
        return None


def count_of(ends: Sequence[object]) -> int | None:
    """How many numbers ``range(*ends)`` has; None where Python would not make one, or one too long to be counted."""
    numbers = [end if isinstance(end, int) else None for end in ends]
    if not 1 <= len(numbers) <= 3 or None in numbers:
        return None
    try:
        return len(range(*(number for number in numbers if number is not None)))
    except (ValueError, OverflowError):
        return None


def shown(value: object, show: Callable[[Any], object] = str) -> str | None:
    """A value as the program prints it (``show``); None where that raises."""
    try:
        text = show(value)
    except (TypeError, ValueError, OverflowError, MemoryError):
        return None
    return text if isinstance(text, str) else None


def formatted(value: object, spec: str) -> str:
    """``format(value, spec)``; raises what Python does. A field wider than anybody reads is no wider than its value."""
    return format(value, spec) if _WIDE.search(spec) is None else str(value)


def computed(name: str, compute: Callable[..., object], args: Iterable[Any]) -> tuple[Any] | None:
    """What a computation gives, in a tuple; None where it raises, or gives something too large or of another kind.

    Parameters: ``name``, the operator, or ``method`` for one of a text; ``args``, constants of the program.
    """
    given = tuple(args)
    if _may_grow(name, given):
        return None
    try:
        found = compute(*given)
    except Exception:  # as the program does, whatever that is
        return None
    if isinstance(found, int) and abs(found) > LARGEST:
        return None
    if isinstance(found, (str, bytes)) and len(found) > LONGEST:
        return None
    return (found,) if found is None or isinstance(found, _PLAIN) else None


def _may_grow(name: str, args: tuple[Any, ...]) -> bool:
    """Whether the result may be so large that nobody should wait for it."""
    if name in _GROWING:
        return any(isinstance(arg, (int, float)) and not abs(arg) <= _EXPONENT for arg in args)
    texts = any(isinstance(arg, (str, bytes)) for arg in args)
    if name == "*" and texts:
        return True
    if name == "%" and args and isinstance(args[0], (str, bytes)):
        return True
    return name == "method" and any(isinstance(arg, int) and abs(arg) > LONGEST for arg in args)
