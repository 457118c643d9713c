"""The command line's options, and the settings that come out of them and the configuration."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ddplint.report import FORMATS
from ddplint.rule import Confidence, Severity
from ddplint.settings import Output, Settings, load_settings
from ddplint.version import __version__

__all__ = ["parser", "settings_of"]


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    found = argparse.ArgumentParser(
        prog="ddplint",
        description="Find and fix the places where the ranks of a distributed PyTorch trainer part ways.",
        epilog="Further commands: 'ddplint rules' lists the rules, 'ddplint rule CODE' explains one, "
        "'ddplint schema' prints the schema of the configuration, 'ddplint server' serves editors. "
        "Exit codes: 0 nothing found, 1 findings, 2 something could not be checked.",
        allow_abbrev=False,
    )
    found.add_argument("paths", nargs="*", metavar="PATH", help="files, folders, or - for standard input (default: .)")
    _rules(found)
    _adopting(found)
    _fixing(found)
    _reporting(found)
    _running(found)
    return found


def settings_of(options: argparse.Namespace, paths: Sequence[str]) -> Settings:
    """The file's settings for ``paths`` with what the command line says on top."""
    told = {name: getattr(options, name) for name in _OVER}
    told["output"] = tuple(told["output"])
    settings = load_settings(paths, options.config).with_chosen(told)
    return replace(settings, cache=False) if options.no_cache else settings


_OVER = (
    "select ignore output_format output strict exit_zero statistics show_advice unsafe_fixes min_severity"
    " min_confidence baseline diff_base jobs cache_dir"
).split()
"""The options that stand for settings of the same name."""


def _rules(found: argparse.ArgumentParser) -> None:
    group = found.add_argument_group("what to check")
    add = group.add_argument
    add("--select", type=_codes, metavar="RULES", help="check these only: codes, groups (DDP1), names; comma-separated")
    add("--ignore", type=_codes, metavar="RULES", help="leave these out")
    _threshold(group, "--min-severity", Severity, "leave out what is less grave")
    _threshold(group, "--min-confidence", Confidence, "leave out what is less sure")
    add(
        "--diff-base",
        metavar="REV",
        help="tell only about lines changed since this revision of git",
    )
    add("--baseline", type=Path, metavar="FILE", help="leave out the findings in this file")
    add("--config", metavar="FILE", help="use this pyproject.toml or ddplint.toml instead of the nearest one")


def _threshold(group: argparse._ArgumentGroup, option: str, kind: type[Severity] | type[Confidence], text: str) -> None:
    names = [member.value for member in kind]
    group.add_argument(option, type=_member(kind, names), metavar=f"{{{','.join(names)}}}", help=text)


def _member(kind: type[Severity] | type[Confidence], names: Sequence[str]) -> Callable[[str], Severity | Confidence]:
    def read(text: str) -> Severity | Confidence:
        if text not in names:
            raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(names)}")
        return kind(text)

    return read


def _adopting(found: argparse.ArgumentParser) -> None:
    add = found.add_argument_group("taking it up in a project with findings").add_argument
    add("--write-baseline", metavar="FILE", help="write what is found into a baseline, for --baseline")
    add("--add-ignores", metavar="REASON", help="put a suppression comment with this reason at each finding")


def _fixing(found: argparse.ArgumentParser) -> None:
    add = found.add_argument_group("fixing").add_argument
    add("--fix", action="store_true", help="apply the safe fixes")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that change what is computed")
    add("--diff", action="store_true", help="show what --fix or --insert would change, write nothing")
    add(
        "--insert",
        type=_codes,
        metavar="NAME",
        help="put in what no rule asks for, each place verified like a fix: step-count-check (after each loop over "
        "batches the ranks compare how many they had), verified-save (rank 0 saves beside the target, checks, moves; "
        "all ranks go on or raise together); comma-separated",
    )


def _reporting(found: argparse.ArgumentParser) -> None:
    add = found.add_argument_group("reporting").add_argument
    add("--output-format", choices=FORMATS, help="what to print (default: full)")
    add(
        "--output",
        type=_output,
        action="append",
        default=[],
        metavar="FORMAT[=FILE]",
        help="print this format, or write it to a file; may be given several times",
    )
    add("--statistics", action="store_true", help="also count the findings of each rule")
    add("--show-advice", action="store_true", help="explain advice like all else, instead of counting it")
    add("--strict", action="store_true", help="advice counts for the exit code too")
    add("--exit-zero", action="store_true", help="findings do not count for the exit code")
    add("--verbose", action="store_true", help="also tell about limits reached, suppressed findings, and configuration")


def _running(found: argparse.ArgumentParser) -> None:
    add = found.add_argument_group("running").add_argument
    add("--jobs", type=_count, metavar="N", help="use at most N processes (default: one for each CPU)")
    add("--no-cache", action="store_true", help="neither use nor keep results of other runs")
    add("--cache-dir", type=Path, metavar="DIR", help="keep results here (default: .ddplint_cache in the repository)")
    add("--stdin-filename", metavar="NAME", help="what the file on standard input is called")
    add("--version", action="version", version=f"ddplint {__version__}")


def _codes(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 up")
    return int(text)


def _output(text: str) -> Output:
    try:
        return Output.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
