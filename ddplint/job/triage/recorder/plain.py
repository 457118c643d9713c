"""Values of an untrusted dump as the types that are meant, or as what stands for nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from ddplint.job.triage.facts import Code

T = TypeVar("T")

_MOST = 1 << 62
_DEEPEST = 16
_LONGEST = 4096
_FRAMES = 200
_RANKS = 1 << 17
_LONGEST_LIST = 1 << 23
_NUMBER = re.compile(r"-?[0-9]{1,19}")
_RANK = re.compile(r"[0-9]+")
_LIST = re.compile(r"\s*\[[0-9,\s]*\]\s*")


class Once:
    """Reads each value of one dump once: a pickle may refer to one list again and again, and be small all the same.

    The dump has to be kept for as long: values are distinguished by where they are.
    """

    def __init__(self) -> None:
        self._read: dict[tuple[Callable[[Any], Any], int], Any] = {}

    def __call__(self, read: Callable[[Any], T], value: Any) -> T:
        """``read(value)``."""
        key = (read, id(value))
        if key not in self._read:
            self._read[key] = read(value)
        found: T = self._read[key]
        return found


def number(value: Any) -> int | None:
    """A whole number, also as text (the JSON dumps of torch 2.13 have those); ``None`` for all else."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value)
    fits = isinstance(value, int) and not isinstance(value, bool) and -_MOST < value < _MOST
    return value if fits else None


def text(value: Any, longest: int = 120) -> str:
    """A text on one line; empty for all else."""
    return " ".join(value[:longest].split()) if isinstance(value, str) else ""


def words(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(text(one, 40) for one in value[:_LONGEST]) if isinstance(value, (list, tuple)) else ()


def sizes(value: Any) -> tuple[tuple[int, ...], ...]:
    """A list of shapes."""
    return tuple(map(_shape, value[:_LONGEST])) if isinstance(value, (list, tuple)) else ()


def _shape(value: Any) -> tuple[int, ...]:
    lengths = value[:_DEEPEST] if isinstance(value, (list, tuple)) else ()
    return tuple(length for length in map(number, lengths) if length is not None and 0 <= length < 1 << 40)


def members(value: Any) -> tuple[int, ...]:
    """The ranks of a group: a list, or its text; empty where it is none."""
    if isinstance(value, str):
        return _listed(value[:_LONGEST_LIST])
    ranks = map(number, value[:_RANKS]) if isinstance(value, (list, tuple)) else ()
    return tuple(sorted({rank for rank in ranks if rank is not None and 0 <= rank < _RANKS}))


@lru_cache(256)
def _listed(value: str) -> tuple[int, ...]:
    """The same list is in the dumps of all its members."""
    return members(_RANK.findall(value)) if _LIST.fullmatch(value) else ()


def frames(value: Any) -> tuple[Code, ...]:
    """A stack, outermost frame first; a dump has it the other way round. Equal stacks are one object."""
    listed = value[:_FRAMES] if isinstance(value, list) else []
    try:
        return _stack(tuple([(one["filename"], one["line"], one["name"]) for one in listed]))
    except (KeyError, TypeError, IndexError):
        return tuple(code for one in listed[::-1] if isinstance(one, dict) for code in _codes(one))


@lru_cache(1 << 14)
def _stack(told: tuple[tuple[Any, Any, Any], ...]) -> tuple[Code, ...]:
    return tuple(
        code for path, line, name in told[::-1] for code in _codes({"filename": path, "line": line, "name": name})
    )


def _codes(frame: Mapping[str, Any]) -> Iterator[Code]:
    line = number(frame.get("line"))
    if line is not None:
        yield Code(text(frame.get("filename"), 1024), line, text(frame.get("name")))
