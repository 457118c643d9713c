"""Workflow commands of GitHub Actions: every finding becomes an annotation of its line."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Place
from ddplint.findings.results import Problem, Report
from ddplint.report.context import Context
from ddplint.report.overview import FOLDS, apart, counted, places
from ddplint.report.roots import Root, roots_of
from ddplint.report.summary import remedy, summary
from ddplint.report.terminal import Style
from ddplint.report.wording import cell_text, told

_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}
_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_MOST = 5
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(report: Report, context: Context) -> str:
    """One command for each finding and each problem, then the counts.

    GitHub shows the first ten of a kind: each root comes once, the worst first, before its further places. What is
    folded is counted in one notice for each reason.
    """
    shown, aside = apart(report.findings, show_all=context.show_all)
    roots = roots_of(shown)
    lines = [_finding(root.lead, root) for root in roots]
    lines += [_finding(finding) for root in roots for finding in root.further]
    lines += [_command("notice", {"title": "ddplint"}, _counted(mine, FOLDS[fold])) for fold, mine in aside.items()]
    lines += [_problem(problem) for problem in report.problems]
    return "\n".join([*lines, summary(report, verbose=context.verbose)]) + "\n"


def _finding(finding: Finding, root: Root | None = None) -> str:
    where = finding.place.range
    properties: dict[str, object] = {
        "title": f"{finding.code} {finding.name}",
        "file": finding.place.file.path,
        "line": where.start_line,
        "endLine": where.end_line,
    }
    if where.start_line == where.end_line:
        properties |= {"col": where.start_col, "endColumn": where.end_col}
    doing = told(finding, lambda place: _line(finding, place))
    said = f"{finding.message}{cell_text(finding.place)}"
    more = f"The same root cause: {places(root.further, most=_MOST)}" if root is not None and root.further else ""
    lines = [said, *doing, remedy(finding), more]
    return _command(_LEVEL[finding.severity], properties, "\n".join(filter(None, lines)))


def _counted(findings: Sequence[Finding], what: str) -> str:
    return "\n".join(counted(findings, Style(), what))


def _line(finding: Finding, place: Place) -> str:
    home = "" if place.file is finding.place.file else place.file.path
    return f" ({home}:{place.range.start_line})" if home else f" (line {place.range.start_line})"


def _problem(problem: Problem) -> str:
    properties: dict[str, object] = {"title": "ddplint"}
    if problem.path:
        properties["file"] = problem.path
    if problem.line:
        properties |= {"line": problem.line, "col": max(problem.column, 1)}
    return _command("error" if problem.fatal else "warning", properties, problem.message)


def _command(level: str, properties: dict[str, object], text: str) -> str:
    told = ",".join(f"{key}={str(value).translate(_PROPERTY)}" for key, value in properties.items())
    return f"::{level} {told}::{text.translate(_TEXT)}"
