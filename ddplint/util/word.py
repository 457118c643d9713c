"""Members of an enumeration that stay the words they stand for, in JSON, caches and messages."""

from __future__ import annotations

import enum


class Word(str, enum.Enum):
    """A member is its word: equal to it, hashed like it, and written as it."""

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, spec: str) -> str:
        return str.__format__(self, spec)
