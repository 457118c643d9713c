"""Taking ddplint up in a project that has findings: ``--write-baseline`` and ``--add-ignores``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ddplint.cli.output import report_problems, write_text
from ddplint.config.settings import Settings, SettingsError
from ddplint.engine.checker import Checker, check
from ddplint.engine.inputs import is_launch
from ddplint.engine.judging.baseline import baseline_text
from ddplint.findings.model import Finding
from ddplint.findings.results import Problem, Report
from ddplint.fixing.edit.ignores import placed
from ddplint.fixing.edit.write import WriteError, write_files
from ddplint.report.summary import count
from ddplint.source.file import SourceError, SourceFile
from ddplint.source.suppressions import bearing_lines
from ddplint.util.stack import on_deep_stack


def write_baseline(paths: Sequence[str], settings: Settings, target: str) -> int:
    """Write what is found into a baseline and return the exit code: 2 where something could not be checked, else 0."""
    file = Path(target)
    if not os.path.isdir(file.absolute().parent):
        raise SettingsError(f"error: --write-baseline {target}: there is no folder {file.parent}")
    report = check(paths, replace(settings, baseline=None))
    report_problems(report)
    write_text(file, baseline_text(report.findings, file), f"--write-baseline {target}")
    print(f"{count(len(report.findings), 'finding')} written to {target}.")
    return 2 if report.errors else 0


def add_ignores(paths: Sequence[str], settings: Settings, reason: str) -> int:
    """Put a suppression comment where each finding is and return the exit code: 1 where findings are left."""
    if not reason.strip() or not reason.isprintable():
        raise SettingsError("error: --add-ignores needs a reason of one line")
    checker = Checker(settings, live=True)
    report = checker.check(paths)
    done = on_deep_stack(lambda: [_ignored(checker, report, file, reason.strip()) for file in _files(report)])
    report_problems(report)
    left = len(report.findings) - sum(done)
    print(f"{count(sum(done), 'finding')} ignored" + (f", {left} left." if left else "."))
    return 2 if report.errors else int(left > 0)


def _files(report: Report) -> list[SourceFile]:
    return list(dict.fromkeys(finding.place.file for finding in report.findings))


def _ignored(checker: Checker, report: Report, file: SourceFile, reason: str) -> int:
    """Rewrite one file; the number of its findings that are silenced now. The code itself must stay the same."""
    mine = [finding for finding in report.findings if finding.place.file is file]
    if is_launch(file):
        text = "comments are put into Python files only: silence what is found here by hand, or with per-file-ignores"
        report.problems.append(Problem(text, file.path, fatal=False))
        return 0
    try:
        if file.is_notebook:
            raise SourceError(file.path, 0, 0, "notebooks are not rewritten; put the comment in by hand")
        text, lines = placed(file, mine, reason)
        after = file.with_text(text)
        if not _same_code(file, after) or not all(_heeded(after, one, lines) for one in mine):
            raise SourceError(file.path, 0, 0, "no place for a comment was found")
        write_files([(file, after)])
    except (SourceError, WriteError) as error:
        report.problems.append(Problem(error.message, file.path))
        return 0
    except UnicodeEncodeError:
        report.problems.append(Problem(f"the reason has characters that {file.encoding} does not have", file.path))
        return 0
    checker.replaced(after)
    return len(mine)


def _same_code(before: SourceFile, after: SourceFile) -> bool:
    import ast
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(before.data)) == ast.dump(ast.parse(after.data))
        except (SyntaxError, ValueError, RecursionError):
            return False


def _heeded(after: SourceFile, finding: Finding, lines: Mapping[int, int]) -> bool:
    line = lines[bearing_lines(finding.place.file, finding.place.node)[-1]]
    return any(one.line == line and finding.code in one.codes for one in after.suppressions.comments)
