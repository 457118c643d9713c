"""Code Quality of GitLab: the findings of a merge request in its widget and beside its changed lines."""

from __future__ import annotations

import json
from typing import Any

from ddplint.config.levels import Severity
from ddplint.findings.fingerprints import fingerprints
from ddplint.findings.model import Finding
from ddplint.findings.results import Problem, Report
from ddplint.report.context import Context

_SEVERITY = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.ADVICE: "minor"}


def render(report: Report, context: Context) -> str:
    """One issue for each finding, and one for each file that could not be checked; what is folded is of no weight."""
    marks = fingerprints(report, context.top)
    everything = [(finding, marks[id(finding)]) for finding in report.findings]
    issues = [_finding(one, mark, folded=one.fold is not None and not context.show_all) for one, mark in everything]
    issues += [_problem(problem) for problem in report.skipped]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding, fingerprint: str, *, folded: bool) -> dict[str, Any]:
    where = finding.place.range
    severity = "info" if folded else _SEVERITY[finding.severity]
    text, path = f"{finding.code} {finding.message}", finding.place.file.path
    return _issue(finding.code, text, severity, fingerprint, path, (where.start_line, where.end_line))


def _problem(problem: Problem) -> dict[str, Any]:
    import hashlib

    line = max(problem.line, 1)
    fingerprint = hashlib.sha256(f"{problem.path}\0{problem.message}".encode()).hexdigest()[:32]
    return _issue("not-checked", problem.message, "blocker", fingerprint, problem.path, (line, line))


def _issue(name: str, text: str, severity: str, fingerprint: str, path: str, lines: tuple[int, int]) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": name,
        "description": text,
        "categories": ["Bug Risk"],
        "severity": severity,
        "fingerprint": fingerprint,
        "location": {"path": path.removeprefix("./"), "lines": {"begin": lines[0], "end": lines[1]}},
    }
