"""What a run prints and writes: reports to standard output and files, problems to standard error."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from ddplint.config.settings import Settings, SettingsError
from ddplint.findings.results import Report, Silenced
from ddplint.report import render
from ddplint.report.context import Context
from ddplint.report.summary import count, statistics
from ddplint.report.terminal import Style, style_for

_FOR_PEOPLE = ("full", "concise")
Proven = frozenset[str]


def ready(settings: Settings) -> None:
    """Raise :class:`SettingsError` where a report file surely cannot be written, before any work is done."""
    for output in settings.output:
        folder = Path(output.path).parent
        if output.path and not os.path.isdir(folder):
            raise SettingsError(f"error: --output {output}: there is no folder {folder}")
        if output.path and os.path.isdir(output.path):
            raise SettingsError(f"error: --output {output}: {output.path} is a folder")


def is_asked_for(name: str, settings: Settings) -> bool:
    """Whether some report of the run has this format."""
    return name in (settings.output_format, *(one.format for one in settings.output))


def show(
    report: Report,
    settings: Settings,
    *,
    verbose: bool = False,
    quiet: bool = False,
    out: TextIO | None = None,
    proven: Proven = frozenset(),
) -> None:
    """Print and write a report in all formats the settings ask for.

    Parameters: ``quiet``, neither counts nor warnings; ``out``, where the findings go that have no file (default:
    standard output); ``proven``, the findings whose fix was confirmed.
    """
    out = out or sys.stdout
    formats = [output.format for output in settings.output if not output.path] or [settings.output_format]
    for name in formats:
        out.write(render(name, report, _context(settings, verbose, style_for(out), quiet, proven)))
    if settings.statistics:
        print("\n".join(statistics(report)), file=out if set(formats) <= set(_FOR_PEOPLE) else sys.stderr)
    out.flush()
    write_reports(report, settings, verbose=verbose, proven=proven)
    report_problems(report, quiet=quiet)
    if verbose:
        _details(report, settings)


def write_reports(report: Report, settings: Settings, *, verbose: bool = False, proven: Proven = frozenset()) -> None:
    """Write the reports that go to files. Raises :class:`SettingsError` for one that cannot be written."""
    for output in settings.output:
        if output.path:
            text = render(output.format, report, _context(settings, verbose, Style(), proven=proven))
            write_text(Path(output.path), text, f"--output {output}")


def report_problems(report: Report, *, quiet: bool = False) -> None:
    """Print what could not be checked, one line each, on standard error; ``quiet``: without warnings."""
    for problem in report.problems:
        if problem.fatal or not quiet:
            print(problem, file=sys.stderr)


def _context(
    settings: Settings, verbose: bool, style: Style, quiet: bool = False, proven: Proven = frozenset()
) -> Context:
    from ddplint.util.paths import top_folder

    changed = None
    if settings.diff_base:
        from ddplint.engine.judging.diff_base import changed_since

        changed = changed_since(settings.diff_base, Path.cwd()).holds
    return Context(
        settings.strict,
        settings.exit_zero,
        verbose,
        style,
        top_folder(),
        settings.show_advice,
        quiet,
        _command(),
        changed=changed,
        proven=proven,
        show_all=settings.show_all,
    )


def _command() -> str:
    """The command line of this process, where it is one of ddplint's own."""
    import shlex

    own = Path(sys.argv[0]).stem in ("ddplint", "__main__")
    return shlex.join(["ddplint", *sys.argv[1:]]) if own else ""


def write_text(target: Path, text: str, what: str) -> None:
    """Write the whole text or nothing, so that a reader never sees half of it; no plain file is written directly.

    Raises :class:`SettingsError` where that fails, which names ``what`` the user asked for.
    """
    data = text.encode("utf-8", "backslashreplace")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            target.write_bytes(data)
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.resolve().parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, target.stat().st_mode & 0o777 if os.path.exists(target) else 0o666 & ~_umask())
            os.replace(name, target.resolve())
        finally:
            with suppress(OSError):
                os.unlink(name)
    except OSError as error:
        raise SettingsError(f"error: {what}: cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _details(report: Report, settings: Settings) -> None:
    said = [f"configuration: {settings.config or 'none found, defaults are used'}"]
    said += [f"{limit.path}: limit reached in {limit.entry}: {limit.text}" for limit in report.limits]
    said += [f"{path}: named, but excluded by the configuration" for path in report.excluded]
    said += [_silenced_line(one) for one in report.silenced]
    walked = {file.path for file in report.walked}
    untouched = sum(path not in walked for path in report.checked)
    said.append(f"{count(len(report.walked), 'file')} walked, {untouched} without anything relevant")
    for line in said:
        print(line, file=sys.stderr)


def _silenced_line(silenced: Silenced) -> str:
    found = silenced.finding
    where = f"{found.place.file.path}:{found.place.range.start_line}: {found.code}"
    if silenced.by == "comment":
        return f"{where} suppressed by the comment on line {silenced.line}"
    return f"{where} suppressed by {silenced.by} '{silenced.reason}'"
