"""The command line: arguments → settings → report → exit code (0 nothing found, 1 findings, 2 could not check)."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from ddplint.cli.replay import Replay
    from ddplint.config.settings import Settings
    from ddplint.engine.cache import Cache
    from ddplint.source.file import SourceFile


_COLLECT = (200_000, 50, 100)
"""When the garbage collector looks for cycles: trees hold none, and looking through them took a fifth of the time."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        from ddplint.cli.revision import full_version

        print(f"ddplint {full_version()}")
        return 0
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(*_COLLECT)
    try:
        code = _run(arguments)
        if not sys.stdout.closed:  # as the language server leaves it
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("ddplint: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        if {"--verbose", "-v"} & {*arguments}:
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"error: internal error: {said} (--verbose shows where); please report it", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    from ddplint.cli import usage

    known_as = usage.is_command(arguments)
    if known_as and arguments[0] == "check":
        arguments = arguments[1:]
    elif known_as:
        return _or_refused(lambda: _command(arguments))
    elif (refusal := usage.refusal(arguments)) is not None:
        print(refusal, file=sys.stderr)
        return 2
    from ddplint.cli.replay import open_replay

    replay = open_replay(arguments)
    known = replay.known() if replay is not None else None
    if known is not None:
        sys.stdout.write(known[0])
        sys.stderr.write(known[1])
        return known[2]

    def work() -> int:
        from ddplint.cli.options import parser

        return _check(parser().parse_args(arguments), replay)

    return _or_refused(lambda: work() if replay is None else replay.record(work))


def _command(arguments: list[str]) -> int:
    from ddplint.cli.commands import command

    return command(arguments)


def _or_refused(run: Callable[[], int]) -> int:
    from ddplint.config.settings import SettingsError

    try:
        return run()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2


def _check(options: argparse.Namespace, replay: Replay | None = None) -> int:
    from ddplint.cli import output
    from ddplint.cli.options import settings_of
    from ddplint.cli.usage import COMMANDS
    from ddplint.config.settings import SettingsError
    from ddplint.engine.checker import check
    from ddplint.util.progress import Progress

    if options.color != "auto":
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR"] = "1" if options.color == "always" else "0"
    first = options.paths[0] if options.paths else "."
    if first in COMMANDS and not os.path.exists(first):
        raise SettingsError(f"error: the command goes first: ddplint {first} ...")
    if options.quiet and options.verbose:
        raise SettingsError("error: --quiet and --verbose exclude each other")
    paths = options.paths or ["-" if options.stdin_filename else "."]
    if options.stdin_filename and "-" not in paths:
        raise SettingsError("error: --stdin-filename is for standard input: give '-' as the path")
    stdin = _stdin(options) if "-" in paths else None
    settings = settings_of(options, [options.stdin_filename or "." if path == "-" else path for path in paths])
    if options.show_settings or options.show_files:
        from ddplint.cli import showing

        sys.stdout.write(showing.settings_text(settings) if options.show_settings else "")
        sys.stdout.write(showing.files_text(paths, settings) if options.show_files else "")
        return 0
    if options.show_index is not None:
        from ddplint.cli.show_index import index_text

        sys.stdout.write(index_text(options.show_index, paths, settings))
        return 0
    output.ready(settings)
    if replay is not None:
        replay.allow(settings)
    if options.write_baseline or options.add_ignores is not None:
        return _adopt(options, paths, settings)
    if options.insert is not None:
        from ddplint.cli import insert

        if options.fix:
            raise SettingsError("error: --insert cannot be combined with --fix: run one after the other")
        return insert.run(paths, settings, options.insert, stdin=stdin, write=not options.diff)
    if options.fix or options.diff:
        from ddplint.cli import fix

        return fix.run(
            paths,
            settings,
            stdin=stdin,
            write=not options.diff,
            verbose=options.verbose,
            quiet=options.quiet,
            fixed_counts=options.exit_non_zero_on_fix,
            cache=_cache(settings),
        )
    terminal = getattr(sys.stderr, "bare", sys.stderr)  # what is told of this run is not told again of the next
    progress = Progress(terminal)
    report = check(paths, settings, stdin=stdin, cache=_cache(settings), progress=progress)
    confirmed: frozenset[str] = frozenset()
    if output.is_asked_for("review", settings):
        from ddplint.cli import review

        confirmed = review.proven(paths, settings, stdin=stdin, cache=_cache(settings))
    output.show(report, settings, verbose=options.verbose, quiet=options.quiet, proven=confirmed)
    if (terminal.isatty() or options.verbose) and not options.quiet and progress.note():
        print(progress.note(), file=terminal)
    if replay is not None and report.was_out_of_time:
        replay.forbid()
    return report.exit_code(strict=settings.strict, exit_zero=settings.exit_zero)


def _cache(settings: Settings) -> Callable[[], Cache | None]:
    """Opens the cache when it is needed."""

    def work() -> Cache | None:
        from ddplint.engine.cache import open_cache
        from ddplint.util.paths import top_folder

        return open_cache(settings, top_folder())

    return work


def _adopt(options: argparse.Namespace, paths: list[str], settings: Settings) -> int:
    from ddplint.cli import adopt
    from ddplint.config.settings import SettingsError

    wanted = "--write-baseline" if options.write_baseline else "--add-ignores"
    both = options.write_baseline and options.add_ignores is not None
    if both or options.fix or options.diff or options.insert or "-" in paths:
        other = "standard input" if "-" in paths else "--add-ignores" if both else "--fix" if options.fix else "--diff"
        other = "--insert" if options.insert else other
        raise SettingsError(f"error: {wanted} cannot be combined with {other}")
    if options.write_baseline:
        return adopt.write_baseline(paths, settings, options.write_baseline)
    return adopt.add_ignores(paths, settings, options.add_ignores)


def _stdin(options: argparse.Namespace) -> SourceFile:
    from pathlib import Path

    from ddplint.engine.inputs import opened
    from ddplint.source.file import SourceFile

    name = Path(options.stdin_filename).as_posix() if options.stdin_filename else "<stdin>"
    return opened(SourceFile(name, sys.stdin.buffer.read()))
