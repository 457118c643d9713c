"""Launch files: read, and checked by the rules about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ddplint.engine import inputs
from ddplint.engine.isolation import checked_launch
from ddplint.source.file import SourceError, SourceFile

if TYPE_CHECKING:
    from ddplint.engine.judging.selection import Judge
    from ddplint.engine.records import Outcome
    from ddplint.findings.model import Finding
    from ddplint.findings.results import Report
    from ddplint.launch.text import LaunchSource


def is_relevant(file: SourceFile) -> bool:
    """Whether a launch file speaks of several processes."""
    from ddplint.launch.kinds import MOST_BYTES, prefilter

    small = len(file.data) <= MOST_BYTES and b"\0" not in file.data
    return small and prefilter().search(file.data) is not None


def look_at(
    files: Sequence[SourceFile], report: Report, named: frozenset[str], judge: Callable[[], Judge]
) -> dict[SourceFile, list[Finding]]:
    """What is found in launch files; how they were read goes into the report.

    Parameters: ``named``, the files that the user named outright, of which it is said what they lack to be read.
    """
    from ddplint.launch.check import MissingExtra, not_read, skipped_note

    skipped: list[str] = []
    found: dict[SourceFile, list[Finding]] = {}
    for file in files:
        assert inputs.is_launch(file)
        try:
            outcome = look(file, judge)
        except MissingExtra as error:
            if file.path in named:
                report.problems.append(not_read(file.path, str(error)))
            else:
                skipped.append(file.path)
            continue
        report.walked += [file] if outcome.walked else []
        report.limits += outcome.limits
        report.problems += outcome.problems
        found[file] = outcome.findings
    report.files = [path for path in report.files if path not in skipped]
    report.problems += [skipped_note(len(skipped))] if skipped else []
    return found


def look(file: LaunchSource, judge: Callable[[], Judge]) -> Outcome:
    """Read a launch file and run the rules on it. Raises :class:`ddplint.launch.check.MissingExtra`."""
    from ddplint.engine.records import Outcome
    from ddplint.launch.check import MissingExtra, launch_facts, unread

    outcome = Outcome()
    try:
        facts = launch_facts(file)
    except MissingExtra:
        raise
    except (ValueError, SourceError) as error:
        outcome.limits.append(unread(file, str(error)))
        return outcome
    outcome.walked = True
    for rule in judge().rules_for(file):
        outcome.findings += checked_launch(rule, facts, outcome)
    return outcome
