"""Which of the places where the program's ranks part fits what the logs, dumps and traces tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ddplint.config.levels import Confidence, Severity
from ddplint.config.settings import load_settings
from ddplint.engine.checker import check
from ddplint.findings.model import Finding, Place
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.places.numbers import weighed
from ddplint.job.triage.places.standing import Stood, files_of, line_of, stood
from ddplint.job.triage.verdict import Verdict
from ddplint.source.file import SourceError

_IMAGINED = 4
"""Ranks of the world that a finding speaks of."""


@dataclass
class Candidate:
    """A place where ranks part: how well it fits, what speaks for it, and what rules it out (empty: nothing)."""

    finding: Finding
    score: int = 0
    because: list[str] = field(default_factory=list)
    against: str = ""

    @property
    def place(self) -> str:
        """The file as it was given, and the line."""
        return _spelled(self.finding.place)


@dataclass(frozen=True)
class Matched:
    """Candidates, best first; ``fits`` is false where the evidence supports none, or several alike."""

    candidates: list[Candidate]
    fits: bool
    problems: list[str]


def match(source: str, evidence: Evidence, verdict: Verdict) -> Matched:
    """Walk the program below ``source`` and rank its divergences by the evidence.

    Raises :class:`ddplint.config.settings.SettingsError` where the configuration found there is wrong.
    """
    report = check([source], load_settings([source]))
    found = [one for one in report.findings if one.severity is not Severity.ADVICE]
    files = files_of(evidence, {Path(one).resolve() for one in report.files})
    candidates = [_judged(one, stood(one, evidence, files), evidence, verdict) for one in found]
    candidates.sort(key=lambda one: (-one.score, one.place))
    fits = bool(candidates) and bool(candidates[0].because) and not candidates[0].against
    fits = fits and (len(candidates) == 1 or candidates[1].score < candidates[0].score)
    return Matched(candidates, fits, [str(problem) for problem in report.problems if problem.fatal][:3])


def _judged(finding: Finding, stacks: list[Stood], evidence: Evidence, verdict: Verdict) -> Candidate:
    candidate = Candidate(finding)
    candidate.because = [one.text for one in stacks[:3]]
    candidate.score = max((one.worth for one in stacks), default=0) * 2 + min(len(stacks), 3)
    numbers = weighed(finding, evidence.waits)
    if numbers.against and not any(one.direct for one in stacks):
        return Candidate(finding, -1, [], numbers.against)
    counted = any(wait.elements is not None for wait in evidence.waits)
    if candidate.score or counted or not evidence.stacks:  # lines that lead elsewhere outvote a kind without a size
        candidate.score += numbers.score + _same_ranks(finding, verdict, candidate)
        candidate.because += numbers.because
        candidate.score += finding.severity is Severity.ERROR
        candidate.score += finding.confidence is Confidence.HIGH
    return candidate


def _same_ranks(finding: Finding, verdict: Verdict, candidate: Candidate) -> int:
    """Whether those who are missing are those who go elsewhere; ranks behind the imagined ones count as the last."""
    missing = {min(rank, _IMAGINED - 1) for rank in verdict.missing}
    for action in finding.actions:
        if missing and set(action.ranks) == missing:
            candidate.because.append(f"the same ranks go elsewhere: {action.what}")
            return 2
    return 0


def _spelled(place: Place) -> str:
    try:
        return f"{place.file.path}:{line_of(place)}"
    except (KeyError, SourceError):
        return place.file.path
