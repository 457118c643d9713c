"""Counts in words: the last line of a report for people, and ``--statistics``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Safety
from ddplint.findings.results import Report
from ddplint.report.terminal import Style
from ddplint.report.wording import line_text


def summary(report: Report, *, verbose: bool = False, done: str = "fixed") -> str:
    """The last line: how many findings in how many files, and what can be fixed.

    Parameters: ``done``, what happened to the fixed ones.
    """
    files = count(len(report.checked), "file")
    gone = f", and {report.gone} more with {'it' if len(report.fixed) == 1 else 'them'}" if report.gone else ""
    done = f"{count(len(report.fixed), 'finding')} {done}{gone}. " if report.fixed else ""
    partly = len({limit.path for limit in report.limits})
    hint = f"; {count(partly, 'file')} walked in part" + ("" if verbose else " (--verbose)") if partly else ""
    known = sum(one.by == "baseline" for one in report.silenced)
    hint += f"; {known} known from the baseline" if known else ""
    if not report.findings:
        return f"{done}No {'new ' if known else ''}findings{' left' if done else ''} in {files}{hint}."
    left = " left" if done else ""
    found = f"{count(len(report.findings), 'finding')}{left} ({kinds(report.findings)}) in {files}{hint}."
    return f"{done}{found}{_fixable(report.findings)}"


def kinds(findings: list[Finding]) -> str:
    """``2 errors, 1 advice``."""
    numbers = Counter(finding.severity for finding in findings)
    return ", ".join(
        f"{numbers[kind]} {kind.value}" if kind is Severity.ADVICE else count(numbers[kind], kind.value)
        for kind in Severity
        if numbers[kind]
    )


def statistics(report: Report) -> Iterator[str]:
    """One line for each rule that found something, the most frequent first: findings, files, code, name."""
    found = Counter((one.code, one.name) for one in report.findings)
    for (code, name), number in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        files = len({one.place.file.path for one in report.findings if one.code == code})
        yield f"{number:>6}  {count(files, 'file'):>9}  {code}  {name}"


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def fixed_line(finding: Finding, style: Style) -> str:
    """What ``--fix`` did about a finding."""
    title = style.sayable(finding.fix.title) if finding.fix is not None else ""
    where = f"{finding.place.file.path}:{line_text(finding.place)}"
    return f"{where}: {finding.code} {style.paint('fixed', 'green')}: {title}"


def remedy(finding: Finding) -> str:
    """What mends it, as one sentence: the fix with the options it takes, or that there is none and what to do."""
    if finding.fix is None:
        return f"No automatic fix: {finding.no_fix}" if finding.no_fix else "No automatic fix."
    return f"ddplint {finding.fix.options}: {finding.fix.title}"


def _fixable(findings: list[Finding]) -> str:
    fixes = [found.fix for found in findings if found.fix is not None]
    safe = sum(fix.safety is Safety.SAFE and not fix.held for fix in fixes)
    unsafe = sum(fix.safety is Safety.UNSAFE and not fix.held for fix in fixes)
    held = sum(fix.held for fix in fixes)
    text = ""
    if safe and unsafe:
        text = f" Fixable with --fix: {safe}; with --unsafe-fixes too: {unsafe} more (checked when tried)."
    elif safe or unsafe:
        text = f" Fixable with {'--fix' if safe else '--fix --unsafe-fixes'}: {safe or unsafe} (checked when tried)."
    return f"{text} Advice that --fix-advice applies: {held}." if held else text
