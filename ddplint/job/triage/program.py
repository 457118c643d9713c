"""Which of the places where the program's ranks part fits what the logs tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ddplint.config.levels import Confidence, Severity
from ddplint.config.settings import load_settings
from ddplint.engine.checker import check
from ddplint.findings.model import Finding, Place
from ddplint.job.triage.facts import LIBRARY, Code, Evidence, Stack
from ddplint.job.triage.verdict import Verdict
from ddplint.source.file import SourceError

__all__ = ["Candidate", "Matched", "match"]

_DIRECT, _NEAR = 12, 4
_KINDS = {
    "allreduce": r"all.?reduce|gradient|backward|barrier|reduce",
    "broadcast": r"broadcast|forward|buffers",
    "allgather": r"gather",
    "barrier": r"barrier",
    "store": r"new_group|init_process_group",
}


@dataclass
class Candidate:
    """A place where ranks part: how well it fits, and what speaks for it."""

    finding: Finding
    score: int = 0
    because: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        return _spelled(self.finding.place)


@dataclass(frozen=True)
class Matched:
    """Candidates, best first; ``fits`` is false where the logs support none, or several alike."""

    candidates: list[Candidate]
    fits: bool
    problems: list[str]


def match(source: str, evidence: Evidence, verdict: Verdict) -> Matched:
    """Walk the program below ``source`` and rank its divergences by the evidence.

    Raises :class:`ddplint.config.settings.SettingsError` where the configuration found there is wrong.
    """
    report = check([source], load_settings([source]))
    found = [one for one in report.findings if one.severity is not Severity.ADVICE]
    shared = _closeness(evidence, {Path(one).resolve() for one in report.files})
    candidates = [_judged(one, evidence, verdict, shared) for one in found]
    candidates.sort(key=lambda one: (-one.score, one.place))
    fits = bool(candidates) and bool(candidates[0].because)
    fits = fits and (len(candidates) == 1 or candidates[1].score < candidates[0].score)
    return Matched(candidates, fits, [str(problem) for problem in report.problems if problem.fatal][:3])


def _judged(finding: Finding, evidence: Evidence, verdict: Verdict, shared: dict[str, set[Path]]) -> Candidate:
    candidate = Candidate(finding)
    places = {(_file(place), _line(place)): role for place, role in _places(finding)}
    spans = {(_file(place)) for place, _ in _places(finding)}
    best: dict[str, int] = {}
    for stack in evidence.stacks:
        for depth, code in enumerate(reversed(_own(stack, shared))):
            for path in shared[code.path]:
                role = places.get((path, code.line))
                if role is not None:
                    text = f"{_who(stack)} stood at {Path(code.path).name}:{code.line}, {role}"
                    worth = _DIRECT - min(depth, 6) + (4 if role == "the finding's place" else 0)
                    best[text] = max(best.get(text, 0), worth)
                elif (
                    depth == 0
                    and path in spans
                    and code.function
                    and code.function.rpartition(".")[2] in _functions(finding)
                ):
                    best.setdefault(f"{_who(stack)} stood in {code.function}, where ranks part", _NEAR)
    candidate.because = sorted(best, key=lambda text: (-best[text], text))[:3]
    candidate.score = max(best.values(), default=0) * 2 + min(len(best), 3)
    if not evidence.stacks or candidate.score:
        candidate.score += _by_operation(finding, evidence, verdict, candidate)
        candidate.score += finding.severity is Severity.ERROR
        candidate.score += finding.confidence is Confidence.HIGH
    return candidate


def _by_operation(finding: Finding, evidence: Evidence, verdict: Verdict, candidate: Candidate) -> int:
    """What the kind of the operation and the ranks that are missing say."""
    score, told = 0, f"{finding.message} " + " ".join(action.what for action in finding.actions)
    if any(wait.elements == 1 for wait in evidence.waits):
        told = told.replace("gradient all-reduce", "")  # a bucket of gradients has more than one element
    for op in sorted({wait.op.lower().replace("_", "") for wait in evidence.waits if wait.op}):
        pattern = _KINDS.get(op)
        if pattern and re.search(pattern, told):
            score += 3
            candidate.because.append(f"an operation of the kind that timed out ({op}) is part of it")
    for action in finding.actions:
        if verdict.missing and set(action.ranks) == set(verdict.missing):
            score += 2
            candidate.because.append(f"the same ranks go elsewhere: {action.what}")
            break
    return score


def _places(finding: Finding) -> Iterator[tuple[Place, str]]:
    for note in finding.notes:
        yield note.place, note.text
    for action in finding.actions:
        if action.place is not None:
            yield action.place, f"where {action.what}" if " " in action.what else f"at {action.what}"
    yield finding.place, "the finding's place"


def _functions(finding: Finding) -> set[str]:
    import libcst as cst

    names = set()
    for place, _ in _places(finding):
        for node in place.file.ancestors(place.node):
            if isinstance(node, cst.FunctionDef):
                names.add(node.name.value)
                break
    return names


def _own(stack: Stack, shared: dict[str, set[Path]]) -> list[Code]:
    return [code for code in stack.frames if code.path in shared]


def _closeness(evidence: Evidence, files: set[Path]) -> dict[str, set[Path]]:
    """For each file that the logs name those of the source that may be it: they share the longest end of the path."""
    named = {code.path for stack in evidence.stacks for code in stack.frames}
    found: dict[str, set[Path]] = {}
    for path in named:
        if LIBRARY.search(path):
            continue
        parts = re.split(r"[\\/]", path)
        counts = {file: _shared(parts, file.parts) for file in files if file.name == parts[-1]}
        most = max(counts.values(), default=0)
        if most:
            found[path] = {file for file, count in counts.items() if count == most}
    return found


def _shared(one: list[str], other: tuple[str, ...]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return count


def _file(place: Place) -> Path:
    return place.file.real_path


def _line(place: Place) -> int:
    return place.range.start_line


def _spelled(place: Place) -> str:
    try:
        return f"{place.file.path}:{_line(place)}"
    except (KeyError, SourceError):
        return place.file.path


def _who(stack: Stack) -> str:
    return "a rank" if stack.rank is None else f"rank {stack.rank}"
