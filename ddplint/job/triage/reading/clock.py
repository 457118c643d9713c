"""When a line was written, in seconds since the year began; not all logs have year and zone."""

from __future__ import annotations

import re

_ISO = re.compile(r"\d{4}-(\d\d)-(\d\d)[T _-](\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?")
_GLOG = re.compile(r"(?:^|\[|\]:|\s)[EWIF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_DAYS = (0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335)


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
