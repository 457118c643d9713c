"""Memory that was freed, back to the system."""

from __future__ import annotations

import sys
from contextlib import suppress

_MUCH = 300_000
"""Bytes of source; the native parser leaves several times as much memory behind."""

_left_behind = 0


def note_parsed(size: int) -> None:
    """So many bytes of source were parsed: once that is much, what the parser has freed is given back."""
    global _left_behind
    _left_behind += size
    if _left_behind > _MUCH:
        give_back()


def give_back() -> None:
    """Hand back what the native parser freed, which the C library would keep for its next use (glibc only)."""
    global _left_behind
    _left_behind = 0
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
