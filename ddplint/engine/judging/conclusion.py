"""What a run comes to: findings in order, what is said of the walks, and what silences nothing any more."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.engine.judging.certainty import as_sure
from ddplint.findings.results import Problem, Report
from ddplint.util.paths import top_folder

if TYPE_CHECKING:
    from ddplint.engine.judging.selection import Judge
    from ddplint.engine.records import Outcome
    from ddplint.findings.model import Finding
    from ddplint.project.schedule import Plan, Step
    from ddplint.source.file import SourceFile
    from ddplint.source.suppressions import Suppression

    Outcomes = Mapping[Step, Outcome]


def by_file(
    steps: Plan, outcomes: Outcomes, allowed: Callable[[Finding], Finding], judge: Callable[[], Judge]
) -> dict[SourceFile, list[Finding]]:
    """The findings of each file, those of programs first; ``allowed`` takes fixes away that others speak against."""
    found = {
        file: [
            allowed(one)
            for step in _honest_first(parts, outcomes)
            for one in as_sure(step, outcomes[step].findings, judge)
        ]
        for file, parts in steps.parts.items()
    }
    programs = {file for file, parts in steps.parts.items() if any(outcomes[step].begins for step in parts)}
    return dict(sorted(found.items(), key=lambda item: item[0] not in programs))


def counted(
    findings: Iterable[Finding], found: Mapping[SourceFile, Sequence[Finding]], steps: Plan, outcomes: Outcomes
) -> list[Finding]:
    """The findings with the number of programs that have them: those of which the walk found the same there."""
    programs = [file for file, parts in steps.parts.items() if any(outcomes[step].begins for step in parts)]
    count = Counter(place for file in programs for place in {one.spot for one in found.get(file, ())})
    return [replace(one, programs=max(count[one.spot], 1)) for one in findings]


def note_walks(report: Report, steps: Plan, outcomes: Mapping[Step, Outcome]) -> None:
    """Put into the report which files were walked, and what is to be said of that."""
    for step in steps.steps:
        outcome = outcomes[step]
        report.walked += [step.file] if outcome.walked else []
        report.limits += outcome.limits
        said = (*outcome.problems, *outcome.remarks)
        report.problems += [problem for problem in dict.fromkeys(said) if problem not in report.problems]
    report.limits += [*steps.limits.values(), *steps.remarks]


def note_comments(report: Report, judge: Callable[[], Judge]) -> None:
    """Put into the report which comments of the walked files say what cannot be."""
    for file in report.walked:
        here = file.suppressions
        remarks = [*here.remarks, *(judge().unknown(file) if here.comments else ())]
        report.problems += [Problem(text, file.path, line, 1, fatal=False) for line, text in remarks]


def _honest_first(parts: Sequence[Step], outcomes: Mapping[Step, Outcome]) -> list[Step]:
    """The steps of a file, first the programs of several processes: of two ways to a place, theirs is shown."""
    return sorted(parts, key=lambda step: (not outcomes[step].begins, step.shown is not None))


Unused = Mapping["SourceFile", tuple[tuple["Suppression", tuple[str, ...]], ...]]
"""For each file the comments, with those of their codes that silence nothing."""


def covers_everything(paths: Iterable[str]) -> bool:
    """Whether a run over ``paths`` sees the whole repository.

    A walk that begins in another file may find something where a comment stands; so a comment is called unused only
    where no walk is missing.
    """
    top = top_folder()
    folders = [Path(path).resolve() for path in paths if path != "-"]
    return any(folder == top or folder in top.parents for folder in folders if os.path.isdir(folder))


def unused_comments(report: Report, judge: Judge) -> Unused:
    """The comments without effect in the files that were walked to their end."""
    if report.errors or report.limits:
        return {}
    files = [file for file in report.walked if file.suppressions.comments and not file.is_notebook]
    found = {file: tuple(judge.unused(file)) for file in files}
    return {file: comments for file, comments in found.items() if comments}


def unused_warnings(unused: Unused) -> Iterator[Problem]:
    """One warning for each comment."""
    for file, comments in unused.items():
        for comment, codes in comments:
            text = f"unused suppression of {', '.join(codes)}; --fix removes it"
            yield Problem(text, file.path, comment.line, comment.column, fatal=False)


def stale_entries(judge: Judge, files: Iterable[Path]) -> Iterator[Problem]:
    """One warning about the baseline where it holds findings that are gone."""
    if judge.baseline is None:
        return
    stale = list(judge.baseline.stale(files, (rule.code for rule in judge.rules)))
    if stale:
        entries = "1 entry is" if len(stale) == 1 else f"{len(stale)} entries are"
        first = f"{stale[0].code} in {stale[0].path}"
        text = f"{entries} stale (first: {first}); --write-baseline brings it up to date"
        yield Problem(text, judge.baseline.file.as_posix(), fatal=False)
