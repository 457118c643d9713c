"""One line per finding: ``path:line:column: severity: CODE message [name, confidence]``; what is folded is counted."""

from __future__ import annotations

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Safety
from ddplint.findings.results import Report
from ddplint.report import wording
from ddplint.report.context import Context
from ddplint.report.overview import FOLDS, apart, counted
from ddplint.report.summary import fixed_line, summary
from ddplint.report.terminal import Style

_COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.ADVICE: "blue"}


def render(report: Report, context: Context) -> str:
    """What was fixed, what was found, and the counts."""
    style = context.style
    told, aside = apart(report.findings, show_all=context.show_all)
    lines = [fixed_line(finding, style) for finding in report.fixed]
    lines += [heading(finding, style, mark=_mark(finding)) for finding in told]
    for fold, mine in aside.items():
        lines += [] if context.quiet else counted(mine, style, FOLDS[fold])
    lines += [] if context.quiet else [summary(report, verbose=context.verbose)]
    return "\n".join([*lines, ""])


def _mark(finding: Finding) -> str:
    """``[*]`` for what ``--fix`` would mend, as other linters write it; of notebooks nothing is rewritten."""
    fix = finding.fix
    return "[*] " if fix is not None and fix.safety is Safety.SAFE and not finding.place.file.is_notebook else ""


def heading(finding: Finding, style: Style, mark: str = "") -> str:
    """The line of a finding, which is also the first line of the full format."""
    where = style.paint(wording.spot(finding.place), "bold")
    kind = style.paint(f"{finding.severity.value}: {finding.code}", _COLOUR[finding.severity])
    reach = f", {finding.programs} programs" if finding.programs > 1 else ""
    about = style.paint(f"[{finding.name}, {finding.confidence.value} confidence{reach}]", "dim")
    return f"{where}: {kind} {style.paint(mark, 'green')}{style.sayable(finding.message)} {about}"
