"""``--fix`` and ``--diff``: check, fix, check again, and say what was done and what is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from ddplint.cli.output import report_problems, show, write_reports
from ddplint.config.settings import Settings
from ddplint.engine.cache import Cache
from ddplint.engine.checker import Checker
from ddplint.engine.inputs import is_launch
from ddplint.engine.judging.conclusion import unused_warnings
from ddplint.engine.judging.selection import unique
from ddplint.findings.results import Problem, Report
from ddplint.fixing.edit.diff import unified_diff
from ddplint.fixing.edit.ignores import moved, without_codes
from ddplint.fixing.edit.loop import FixedFile, FixReport, fix_files
from ddplint.fixing.edit.write import WriteError, write_files
from ddplint.report.summary import summary
from ddplint.report.terminal import Style, style_for
from ddplint.source.file import SourceFile
from ddplint.util.progress import Progress
from ddplint.util.stack import on_deep_stack


def run(
    paths: Sequence[str],
    settings: Settings,
    *,
    stdin: SourceFile | None,
    write: bool,
    verbose: bool = False,
    quiet: bool = False,
    fixed_counts: bool = False,
    cache: Callable[[], Cache | None] | None = None,
) -> int:
    """Fix what ``paths`` hold and return the exit code.

    Parameters: ``write``, whether files are rewritten; otherwise the changes are printed as a diff. What came from
    standard input goes to standard output, and the report to standard error. The exit code is about what is left, with
    ``write=False`` about what was found. ``fixed_counts``: what was fixed counts for it, too.
    """
    progress = Progress(sys.stderr)
    checker = Checker(settings, cache=cache, live=True, progress=progress)
    report = checker.check(paths, stdin)
    before = _code(report, settings)
    on_disk = write and stdin is None
    done = on_deep_stack(lambda: fixed(checker, report.walked, settings, write=on_disk))
    done = _without_unused(checker, done, write=on_disk)
    _take_over(report, done)
    _report_dropped(done)
    if not write:
        print_diff(done)
        write_reports(report, settings, verbose=verbose)
        report_problems(report, quiet=quiet)
        if not quiet:
            print(_told(done, report, verbose=verbose), file=sys.stderr)
        return max(before, _code(report, settings))
    if stdin is not None:
        print_source(stdin, done)
    show(report, settings, verbose=verbose, quiet=quiet, out=sys.stderr if stdin is not None else None)
    return max(_code(report, settings), int(fixed_counts and bool(done.files)))


def _code(report: Report, settings: Settings) -> int:
    return report.exit_code(strict=settings.strict, exit_zero=settings.exit_zero)


def fixed(checker: Checker, files: Sequence[SourceFile], settings: Settings, *, write: bool) -> FixReport:
    from ddplint.launch.check import fix_launch_files

    """Fix files again and again until nothing changes. Parameters: ``write``, whether they are written."""
    launch = [file for file in files if is_launch(file)]
    done = fix_launch_files(launch, checker.again_launch, unsafe=settings.unsafe_fixes, write=write)
    return done.joined(_fixed_python(checker, [file for file in files if not is_launch(file)], settings, write=write))


def _fixed_python(checker: Checker, files: Sequence[SourceFile], settings: Settings, *, write: bool) -> FixReport:
    return fix_files(
        files,
        checker.again,
        unsafe=settings.unsafe_fixes,
        write=write,
        announce=checker.replaced,
        dependents=checker.dependents,
        elsewhere=checker.elsewhere,
        admits=checker.is_asked,
    )


def _without_unused(checker: Checker, done: FixReport, *, write: bool) -> FixReport:
    """Also take out the comments that silenced nothing before anything was fixed."""
    files = {file.before: file for file in done.files}
    for before, comments in checker.unused.items():
        after = files[before].after if before in files else before
        unused = moved(before, after, {comment.line: codes for comment, codes in comments})
        new = after.with_text(without_codes(after, unused))
        try:
            if write and new.data != after.data:
                write_files([(after, new)])
        except WriteError as error:
            checker.report.problems.append(Problem(error.message, error.path))
            continue
        files[before] = FixedFile(before, new, files[before].fixed if before in files else ())
    gone = {str(problem) for problem in unused_warnings(checker.unused)}
    checker.report.problems = [problem for problem in checker.report.problems if str(problem) not in gone]
    return replace(done, files=tuple(files.values()))


def _take_over(report: Report, done: FixReport) -> None:
    """Make the report one about the files as they are now."""
    before = len(report.findings)
    dropped = {id(one.finding): one.reason for one in done.not_fixed}
    left = [
        replace(finding, fix=None, no_fix=dropped[id(finding)]) if id(finding) in dropped else finding
        for finding in done.remaining
    ]
    report.findings = unique(left)
    report.fixed = unique(done.fixed)
    report.gone = max(before - len(report.findings) - len(report.fixed), 0)
    report.problems += [Problem(error.message, error.path) for error in done.errors]
    if done.unfinished:
        report.problems.append(Problem("fixing was stopped after too many repetitions; run it again", fatal=False))


def _report_dropped(done: FixReport) -> None:
    """Say of each fix that was tried and dropped why."""
    for one in done.not_fixed:
        place = one.finding.place
        where = f"{place.file.path}:{place.range.start_line}:{place.range.start_col}"
        print(f"{where}: {one.finding.code} not fixed: {one.reason}", file=sys.stderr)


def print_diff(done: FixReport) -> None:
    """Print what was changed as a diff."""
    style = style_for(sys.stdout)
    for file in done.files:
        diff = unified_diff(file.before.path, file.before.text, file.after.text)
        sys.stdout.write("".join(_painted(line, style) for line in diff.splitlines(True)))
    sys.stdout.flush()


def _painted(line: str, style: Style) -> str:
    colours = {"-": "red", "+": "green", "@": "cyan"}
    if line.startswith(("---", "+++")) or line[:1] not in colours:
        return line
    text = line.rstrip("\r\n")
    return style.paint(text, colours[line[0]]) + line[len(text) :]


def print_source(stdin: SourceFile, done: FixReport) -> None:
    """Print what came from standard input, as it is now."""
    data = next((file.after.data for file in done.files if file.before is stdin), stdin.data)
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _told(done: FixReport, report: Report, *, verbose: bool) -> str:
    if not done.files:
        return f"Nothing to fix automatically. {summary(report, verbose=verbose)}"
    return summary(report, verbose=verbose, done="would be fixed")
