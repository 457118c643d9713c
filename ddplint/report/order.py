"""In which order findings are shown to people."""

from __future__ import annotations

from ddplint.config.levels import Confidence, Severity
from ddplint.findings.model import Finding

__all__ = ["worst_first"]

_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.ADVICE: 2}
_CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}


def worst_first(finding: Finding) -> tuple[int, int, int, str, int, int, str]:
    """The key to sort by: severity, confidence, how many programs have it, then the place."""
    place = finding.place.range
    return (
        _WEIGHT[finding.severity],
        _CERTAINTY[finding.confidence],
        -finding.programs,
        finding.place.file.path,
        place.start_line,
        place.start_col,
        finding.code,
    )
