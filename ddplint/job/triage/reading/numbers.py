"""Numbers in logs, which nobody promised to be short."""

from __future__ import annotations

import re


def whole(text: str | None) -> int | None:
    """The number at the beginning of ``text``, ``None`` where there is none or it is too long for one."""
    found = re.match(r"-?\d{1,18}(?!\d)", text or "")
    return int(found[0]) if found else None


def listed(text: str | None, most: int = 4096) -> tuple[int, ...]:
    """The numbers of ``1, 2, 5-7``, without those that are too long."""
    found: list[int] = []
    for low, high in re.findall(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?", text or ""):
        last = int(high or low)
        if int(low) <= last < int(low) + most:
            found += range(int(low), last + 1)
    return tuple(found[:most])
