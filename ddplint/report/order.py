"""In which order findings are shown to people."""

from __future__ import annotations

from ddplint.config.levels import Confidence, Severity
from ddplint.findings.model import Finding, Harm

_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.ADVICE: 2}
_CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}


_GRAVITY = {harm: number for number, harm in enumerate(Harm)}


def worst_first(finding: Finding) -> tuple[bool, int, int, int, int, str, int, int, str]:
    """The key to sort by: severity, harm, confidence, how many programs have it, then the place; folded ones last."""
    place = finding.place.range
    return (
        finding.fold is not None,
        _WEIGHT[finding.severity],
        _GRAVITY[finding.harm],
        _CERTAINTY[finding.confidence],
        -finding.programs,
        finding.place.file.path,
        place.start_line,
        place.start_col,
        finding.code,
    )
