"""How sure a finding can be where not all is known of how programs come to its file.

What is known is of the project as it stands in this run: it is neither kept in the cache nor handed to other processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ddplint.engine.judging.selection import Judge
    from ddplint.findings.model import Finding
    from ddplint.project.schedule import Step

__all__ = ["as_sure"]


def as_sure(step: Step, findings: Iterable[Finding], judge: Callable[[], Judge]) -> Iterator[Finding]:
    """What the walks of a step find, each as sure as it can be.

    Parameters: ``judge`` knows the rules; it is asked only where something is found in a file that is started as one
    process, or that cannot be imported.
    """
    condition = _condition(step)
    for finding in findings:
        if condition and not judge().is_about_launches(finding.code):
            yield _only_if(condition, finding)
        else:
            yield _of_some_callers(finding) if step.partly else finding


def _condition(step: Step) -> str:
    """What must be so for the findings of a step to come true; empty where nothing speaks against them."""
    if step.once is not None:
        return f"if several processes are started: {step.once.path}:{step.once.line} starts one"
    return f"once {step.lacks} is there, which this file imports" if step.lacks else ""


def _only_if(condition: str, finding: Finding) -> Finding:
    from ddplint.config.levels import Confidence
    from ddplint.rule import replace

    return replace(finding, message=f"{finding.message} ({condition})", confidence=Confidence.LOW)


def _of_some_callers(finding: Finding) -> Finding:
    """What is found where callers were left out: those may do it otherwise."""
    from ddplint.config.levels import Confidence
    from ddplint.rule import replace

    return replace(finding, confidence=Confidence.MEDIUM) if finding.confidence is Confidence.HIGH else finding
