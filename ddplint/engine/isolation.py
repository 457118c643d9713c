"""Our own crashes become one line of a report: rules and walks may fail, runs do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, TypeVar

from ddplint.findings.model import Finding
from ddplint.findings.results import Problem
from ddplint.project.records import Limit
from ddplint.source.file import SourceError, SourceFile
from ddplint.util.budget import SPENT, OutOfTime, is_spent
from ddplint.version import __version__

if TYPE_CHECKING:
    from ddplint.analysis.facts.walk import Walk
    from ddplint.engine.records import Outcome
    from ddplint.findings.launch_facts import LaunchFile
    from ddplint.project.index.queries import Index
    from ddplint.rule import Rule


T = TypeVar("T")
_RULES = "<rules>"


def guarded(what: str, file: SourceFile, work: Callable[[], T], outcome: Outcome) -> T | None:
    """What ``work`` returns; a crash of ours becomes one line, and the run goes on."""
    try:
        return work()
    except SourceError as error:
        problem = Problem(error.message, error.path, error.line, error.column)
    except RecursionError:
        problem = Problem(f"{what} gave up: the code is nested too deeply", file.path)
    except Exception as error:
        problem = Problem(f"internal error in {what}: {_crash(error)}", file.path)
    outcome.problems.append(problem)
    return None


def crashes_of(index: Index) -> list[Problem]:
    """What went wrong in the index, whose other answers hold."""
    return [Problem(f"internal error in the index: {_crash(error)}", file.path) for file, error in index.crashes()]


def checked(rule: Rule, file: SourceFile, walks: Sequence[Walk], outcome: Outcome) -> list[Finding]:
    """What one rule finds. A finding without a place in its file is a fault of the rule, and said."""
    found = guarded(f"rule {rule.code}", file, lambda: _all_of(rule, file, walks, outcome), outcome) or []
    troubles = [(one, _stray(one)) for one in found]
    for text in sorted({text for _, text in troubles if text}):
        outcome.problems.append(Problem(f"internal error in rule {rule.code}: {text}; please report it", file.path))
    return [_writable(one) for one, text in troubles if not text]


def checked_launch(rule: Rule, facts: LaunchFile, outcome: Outcome) -> list[Finding]:
    """What one rule finds in a launch file."""
    return guarded(f"rule {rule.code}", facts.file, lambda: list(rule.check_launch(facts)), outcome) or []


def _all_of(rule: Rule, file: SourceFile, walks: Sequence[Walk], outcome: Outcome) -> list[Finding]:
    """The findings of a rule; of those that say the same of one place, reached by the same way, the first."""
    kept: dict[object, Finding] = {}
    try:
        for finding in rule.check_file(walks):
            kept.setdefault((finding.place, finding.severity, finding.certainty, finding.notes), finding)
            if is_spent():
                raise OutOfTime
    except OutOfTime:
        if not any(limit.entry == _RULES for limit in outcome.limits):
            outcome.limits.append(Limit(file.path, _RULES, f"{file.path}: {SPENT}, rules from {rule.code} on stopped"))
    found = [*kept.values()]
    if rule.reads_launch_files:
        from ddplint.launch.python import python_facts

        facts = python_facts(file)
        found += rule.check_launch(facts)
        outcome.fleeting |= rule.looks_around and rule.looks_around_for(facts)
    return found


def _writable(finding: Finding) -> Finding:
    """The finding, without a fix that would have to write a notebook."""
    if finding.fix is None or not any(edit.file.is_notebook for edit in finding.fix.edits):
        return finding
    return replace(finding, fix=None, no_fix=f"notebooks are not rewritten; by hand: {finding.fix.title}")


def _stray(finding: Finding) -> str:
    """What is wrong with a finding whose places no file has; empty where nothing is."""
    also = [action.place for action in (*finding.actions, *finding.ends) if action.place is not None]
    for place in (finding.place, *(note.place for note in finding.notes), *also):
        try:
            _ = place.range
        except KeyError:
            return f"a place that is not in {place.file.path}"
    return ""


def _crash(error: Exception) -> str:
    """One line about a crash of ours, with the place in our code."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    said = shorten(" ".join(f"{type(error).__name__}: {error}".split()), 200, placeholder="…")
    return f"{said} (at {place}, ddplint {__version__}); please report it"
