"""What a walk found in files that were not named: the cause may stand in a helper, the symptom where it is called."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.findings.model import Finding
from ddplint.findings.results import Problem

_MOST = 3


def unnamed_warning(findings: Sequence[Finding]) -> list[Problem]:
    """One warning that names the errors in files which are walked, but not among those to check; none for none."""
    if not findings:
        return []
    places = [f"{one.place.file.path}:{one.place.range.start_line} {one.code}" for one in findings[:_MOST]]
    more = f" and {len(findings) - _MOST} more" if len(findings) > _MOST else ""
    several = len({one.place.file.real_path for one in findings}) > 1
    files = "files that were not named" if several else "a file that was not named"
    count = "1 error" if len(findings) == 1 else f"{len(findings)} errors"
    text = f"{count} in {files}: {', '.join(places)}{more}; check {'them' if several else 'it'} too"
    return [Problem(text, fatal=False)]
