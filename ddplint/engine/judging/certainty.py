"""How sure a finding can be where not all is known of how programs come to its file, and how grave as it is started.

What is known is of the project as it stands in this run: it is neither kept in the cache nor handed to other processes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ddplint.config.levels import Severity
from ddplint.config.reasons import Because
from ddplint.findings.model import Harm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ddplint.engine.judging.selection import Judge
    from ddplint.findings.model import Finding
    from ddplint.project.schedule import Step
    from ddplint.project.starts import Start


def as_sure(step: Step, findings: Iterable[Finding], judge: Callable[[], Judge]) -> Iterator[Finding]:
    """What the walks of a step find, each as sure as it can be.

    Parameters: ``judge`` knows the rules; it is asked only where something is found in a file that is started as one
    process, or that cannot be imported.
    """
    speaks_against = _condition(step)
    for one in findings:
        few = one.few_nodes if step.on_one_node else None
        few = Severity.ADVICE if few is not None and step.says_one else few
        finding = one if few is None else replace(one, severity=few)
        if speaks_against and not judge().is_about_launches(finding.code):
            condition, reason = speaks_against
            yield _less_sure(replace(finding, message=f"{finding.message} ({condition})"), reason)
        elif step.shown is not None and finding.severity in _LESS and not judge().is_about_launches(finding.code):
            yield _less_grave(finding, step.shown)
        else:
            yield _less_sure(finding, Because.UNSEEN_CALLERS) if step.partly else finding


def _condition(step: Step) -> tuple[str, Because] | None:
    """What must be so for the findings of a step to come true, and why they have a lower confidence."""
    if step.once is not None:
        return _if_several(step.once), Because.ONE_PROCESS
    if step.lacks:
        return f"once {step.lacks} is there, which this file imports", Because.MISSING_IMPORT
    return None


def _less_sure(finding: Finding, reason: Because) -> Finding:
    return replace(finding, certainty=finding.certainty.also(reason))


def _if_several(start: Start) -> str:
    return f"if several processes are started: {start.path}:{start.line} starts one"


_LESS = {Severity.ERROR: Severity.WARNING, Severity.WARNING: Severity.ADVICE}


def _less_grave(finding: Finding, start: Start) -> Finding:
    """A finding of a program for several processes that the project only shows how to start as one.

    The number in a line of documentation is what its readers change: whoever does meets a hang the first time, so
    that such a warning stays one.
    """
    message = f"{finding.message} ({_if_several(start)})"
    if finding.harm is Harm.HANG and finding.severity is Severity.WARNING:
        return replace(finding, message=message)
    few = _LESS.get(finding.few_nodes, finding.few_nodes) if finding.few_nodes is not None else None
    return replace(finding, severity=_LESS[finding.severity], few_nodes=few, message=message)
