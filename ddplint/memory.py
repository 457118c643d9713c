"""Memory that was freed, back to the system."""

from __future__ import annotations

import sys
from contextlib import suppress

__all__ = ["give_back"]


def give_back() -> None:
    """Hand back what the native parser freed, which the C library would keep for its next use (glibc only)."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
