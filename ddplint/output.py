"""What a run prints: findings on standard output, problems on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ddplint.engine import Report
from ddplint.report.terminal import Style, style_for
from ddplint.rule import Finding, Safety, Severity
from ddplint.settings import Settings
from ddplint.source import SourceFile

__all__ = ["fix", "show"]


def show(report: Report, settings: Settings, *, verbose: bool = False) -> None:
    """Print a report in the format the settings ask for."""
    if settings.output_format == "json":
        from ddplint.report import json

        sys.stdout.write(json.render(report, strict=settings.strict))
    else:
        style = style_for(sys.stdout)
        for line in _findings(report.findings, settings.output_format, style):
            print(line)
        print(summary(report, verbose=verbose))
    sys.stdout.flush()
    for problem in report.problems:
        print(problem, file=sys.stderr)
    if verbose:
        _details(report, settings)


def summary(report: Report, *, verbose: bool = False) -> str:
    """The last line: how many findings in how many files, and what can be fixed."""
    files = _count(len(report.checked), "file")
    partly = len({limit.path for limit in report.limits})
    hint = f"; {_count(partly, 'file')} walked in part" + ("" if verbose else " (--verbose)") if partly else ""
    if not report.findings:
        return f"No findings in {files}{hint}."
    kinds = [(kind, sum(found.severity is kind for found in report.findings)) for kind in Severity]
    told = ", ".join(
        f"{number} {kind.value}" if kind is Severity.ADVICE else _count(number, kind.value)
        for kind, number in kinds
        if number
    )
    return f"{_count(len(report.findings), 'finding')} ({told}) in {files}{hint}.{_fixable(report.findings)}"


def fix(
    paths: Sequence[str], settings: Settings, *, stdin: SourceFile | None, write: bool, verbose: bool = False
) -> int:
    """Carry out ``--fix`` (``write``) or ``--diff``, and return the exit code."""
    raise NotImplementedError


def _findings(findings: Sequence[Finding], output_format: str, style: Style) -> list[str]:
    if output_format == "concise":
        from ddplint.report.concise import heading

        return [heading(finding, style) for finding in findings]
    from ddplint.report.full import explain

    return [line for finding in findings for line in (*explain(finding, style), "")]


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
        by = f"the comment on line {silenced.line}" if silenced.by == "comment" else f"per-file-ignores '{silenced.reason}'"
        said.append(f"{found.place.file.path}:{line}: {found.code} suppressed by {by}")
    untouched = len(report.checked) - len(report.walked)
    said.append(f"{_count(len(report.walked), 'file')} walked, {untouched} without anything relevant")
    for line_ in said:
        print(line_, file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
