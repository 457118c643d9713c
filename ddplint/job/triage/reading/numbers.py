"""Numbers in logs, which nobody promised to be short; and when a line was written.

The time is in seconds since the year began: not all logs have year and zone.
"""

from __future__ import annotations

import re

_ISO = re.compile(r"\d{4}-(\d\d)-(\d\d)[T _-](\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?")
_GLOG = re.compile(r"(?:^|\[|\]:|\s)[EWIF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_DAYS = (0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335)


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


def time_of(text: str) -> float | None:
    """The time at the beginning of a line, ``None`` where there is none."""
    found = _GLOG.search(text, 0, 160) or _ISO.search(text, 0, 160)
    if found is None:
        return None
    month, day, hour, minute, second = (int(found[number]) for number in range(1, 6))
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 25 and minute < 60 and second < 62):
        return None
    part = float(f"0.{found[6]}") if found[6] else 0.0
    return (_DAYS[month - 1] + day) * 86400.0 + hour * 3600 + minute * 60 + second + part
