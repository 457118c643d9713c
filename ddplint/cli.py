"""The command line: arguments → settings → report → exit code (0 nothing found, 1 findings, 2 could not check)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint import __version__

if TYPE_CHECKING:
    import argparse

    from ddplint.settings import Settings
    from ddplint.source import SourceFile

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        print(f"ddplint {__version__}")
        return 0
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("ddplint: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        if "--verbose" in arguments:
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"error: internal error: {said} (--verbose shows where); please report it", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    from ddplint.settings import SettingsError

    try:
        if arguments[:1] in (["rule"], ["rules"]):
            from ddplint import pages

            wanted = pages.command(arguments)
            if wanted is not None:
                return wanted
        return _check(_parser().parse_args(arguments))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2


def _check(options: argparse.Namespace) -> int:
    from ddplint import output
    from ddplint.engine import check
    from ddplint.settings import SettingsError

    paths = options.paths or ["-" if options.stdin_filename else "."]
    if options.stdin_filename and "-" not in paths:
        raise SettingsError("error: --stdin-filename is for standard input: give '-' as the path")
    stdin = _stdin(options) if "-" in paths else None
    config_for = [options.stdin_filename or "." if path == "-" else path for path in paths]
    settings = _settings(options, config_for)
    if options.fix or options.diff:
        from ddplint import fixes

        return fixes.run(paths, settings, stdin=stdin, write=not options.diff, verbose=options.verbose)
    report = check(paths, settings, stdin=stdin)
    output.show(report, settings, verbose=options.verbose)
    return report.exit_code(strict=settings.strict)


def _stdin(options: argparse.Namespace) -> SourceFile:
    from pathlib import Path

    from ddplint.source import SourceFile

    name = Path(options.stdin_filename).as_posix() if options.stdin_filename else "<stdin>"
    return SourceFile(name, sys.stdin.buffer.read())


def _settings(options: argparse.Namespace, paths: list[str]) -> Settings:
    """The file's settings with what the command line says on top."""
    from dataclasses import replace

    from ddplint.settings import load_settings

    settings = load_settings(paths, options.config)
    return replace(
        settings,
        select=options.select or settings.select,
        ignore=(*settings.ignore, *(options.ignore or ())),
        output_format=options.output_format or settings.output_format,
        strict=options.strict or settings.strict,
        unsafe_fixes=options.unsafe_fixes or settings.unsafe_fixes,
    )


def _codes(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _parser() -> argparse.ArgumentParser:
    import argparse

    from ddplint.settings import FORMATS

    parser = argparse.ArgumentParser(
        prog="ddplint",
        description="Find and fix the places where the ranks of a distributed PyTorch trainer part ways.",
        epilog="Further commands: 'ddplint rules' lists the rules, 'ddplint rule CODE' explains one. "
        "Exit codes: 0 nothing found, 1 findings, 2 something could not be checked.",
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files, folders, or - for standard input (default: .)")
    add = parser.add_argument
    add("--fix", action="store_true", help="apply the safe fixes")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that change what is computed")
    add("--diff", action="store_true", help="show what --fix would change, write nothing")
    add("--select", type=_codes, metavar="RULES", help="check these only: codes, groups (DDP1), names; comma-separated")
    add("--ignore", type=_codes, metavar="RULES", help="leave these out")
    add("--output-format", choices=FORMATS, help="how to report (default: full)")
    add("--config", metavar="FILE", help="use this pyproject.toml or ddplint.toml instead of the nearest one")
    add("--strict", action="store_true", help="advice counts for the exit code too")
    add("--stdin-filename", metavar="NAME", help="what the file on standard input is called")
    add("--verbose", action="store_true", help="also tell about limits reached, suppressed findings, and configuration")
    add("--version", action="version", version=f"ddplint {__version__}")
    return parser
