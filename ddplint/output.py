"""What a run prints: findings on standard output, problems on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from ddplint.report.terminal import Style, style_for
from ddplint.results import Report
from ddplint.rule import Finding, Safety, Severity
from ddplint.settings import Settings

__all__ = ["count", "show", "summary", "tell_problems"]


def show(report: Report, settings: Settings, *, verbose: bool = False, out: TextIO | None = None) -> None:
    """Print a report in the format the settings ask for.

    Parameters: ``out``, where the findings go (default: standard output).
    """
    out = out or sys.stdout
    if settings.output_format == "json":
        from ddplint.report import json

        out.write(json.render(report, strict=settings.strict))
    else:
        style = style_for(out)
        fixed = [_fixed(finding, style) for finding in report.fixed]
        for line in (*fixed, *_findings(report.findings, settings.output_format, style)):
            print(line, file=out)
        print(summary(report, verbose=verbose), file=out)
    out.flush()
    tell_problems(report)
    if verbose:
        _details(report, settings)


def tell_problems(report: Report) -> None:
    """Print what could not be checked, one line each, on standard error."""
    for problem in report.problems:
        print(problem, file=sys.stderr)


def summary(report: Report, *, verbose: bool = False, done: str = "fixed") -> str:
    """The last line: how many findings in how many files, and what can be fixed.

    Parameters: ``done``, what happened to the fixed ones.
    """
    files = count(len(report.checked), "file")
    done = f"{count(len(report.fixed), 'finding')} {done}. " if report.fixed else ""
    partly = len({limit.path for limit in report.limits})
    hint = f"; {count(partly, 'file')} walked in part" + ("" if verbose else " (--verbose)") if partly else ""
    if not report.findings:
        return f"{done}No findings{' left' if done else ''} in {files}{hint}."
    kinds = [(kind, sum(found.severity is kind for found in report.findings)) for kind in Severity]
    told = ", ".join(
        f"{number} {kind.value}" if kind is Severity.ADVICE else count(number, kind.value)
        for kind, number in kinds
        if number
    )
    left = " left" if done else ""
    found = f"{count(len(report.findings), 'finding')}{left} ({told}) in {files}{hint}."
    return f"{done}{found}{_fixable(report.findings)}"


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _findings(findings: Sequence[Finding], output_format: str, style: Style) -> list[str]:
    if output_format == "concise":
        from ddplint.report.concise import heading

        return [heading(finding, style) for finding in findings]
    if not findings:
        return []
    from ddplint.report.full import explain

    return [line for finding in findings for line in (*explain(finding, style), "")]


def _fixed(finding: Finding, style: Style) -> str:
    place = finding.place.file.range_of(finding.place.node)
    title = style.sayable(finding.fix.title) if finding.fix is not None else ""
    return f"{finding.place.file.path}:{place.start_line}: {finding.code} {style.paint('fixed', 'green')}: {title}"


def _fixable(findings: Sequence[Finding]) -> str:
    safe = sum(found.fix is not None and found.fix.safety is Safety.SAFE for found in findings)
    unsafe = sum(found.fix is not None and found.fix.safety is Safety.UNSAFE for found in findings)
    if safe and unsafe:
        return f" Fixable with --fix: {safe}; with --unsafe-fixes too: {unsafe} more."
    if safe or unsafe:
        return f" Fixable with {'--fix' if safe else '--fix --unsafe-fixes'}: {safe or unsafe}."
    return ""


def _details(report: Report, settings: Settings) -> None:
    said = [f"configuration: {settings.config or 'none found, defaults are used'}"]
    said += [f"{limit.path}: limit reached in {limit.entry}: {limit.text}" for limit in report.limits]
    for silenced in report.silenced:
        found = silenced.finding
        line = found.place.file.range_of(found.place.node).start_line
        by = (
            f"the comment on line {silenced.line}"
            if silenced.by == "comment"
            else f"per-file-ignores '{silenced.reason}'"
        )
        said.append(f"{found.place.file.path}:{line}: {found.code} suppressed by {by}")
    untouched = len(report.checked) - len(report.walked)
    said.append(f"{count(len(report.walked), 'file')} walked, {untouched} without anything relevant")
    for line_ in said:
        print(line_, file=sys.stderr)
