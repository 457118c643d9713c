"""The command line's options, and the settings that come out of them and the configuration."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ddplint.cli.usage import COMMANDS
from ddplint.config.formats import FORMATS
from ddplint.config.levels import Confidence, Severity
from ddplint.config.settings import Output, Settings, load_settings
from ddplint.util.optionparser import Parser
from ddplint.version import __version__


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    found = Parser(
        prog="ddplint",
        usage="ddplint [COMMAND] [OPTION ...] [PATH ...]",
        description="Find and fix the places where the ranks of a distributed PyTorch trainer diverge.\n\n"
        f"commands ('ddplint COMMAND --help' says more):\n{commands}",
        epilog="Exit codes: 0 nothing found, 1 findings, 2 something could not be checked.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    if not options.no_cache:
        return settings
    return replace(settings, cache=False, origins={**settings.origins, "cache": "command line"})


_OVER = (
    "select extend_select ignore exclude force_exclude output_format output strict exit_zero statistics show_advice"
    " show_all unsafe_fixes fix_advice min_severity min_confidence baseline diff_base jobs seconds_per_file cache_dir"
).split()
"""The options that stand for settings of the same name."""


def _rules(found: argparse.ArgumentParser) -> None:
    group = found.add_argument_group("what to check")
    add = group.add_argument
    add("--select", type=_codes, metavar="RULES", help="check these only: codes, groups (DDP1), names; comma-separated")
    add("--extend-select", type=_codes, metavar="RULES", help="check these too, although the configuration does not")
    add("--ignore", type=_codes, metavar="RULES", help="leave these out")
    add(
        "--exclude",
        type=_codes,
        metavar="PATTERNS",
        help="leave out these files and folders, too: patterns as in .gitignore, comma-separated",
    )
    add("--force-exclude", action="store_true", help="what is excluded stays so where it is named (for pre-commit)")
    _threshold(group, "--min-severity", Severity, "leave out findings that are less severe")
    _threshold(group, "--min-confidence", Confidence, "leave out findings of lower confidence")
    add(
        "--diff-base",
        metavar="REV",
        help="report only what concerns lines changed since this revision of git",
    )
    add("--baseline", type=Path, metavar="FILE", help="leave out the findings in this file")
    add(
        "--config",
        metavar="FILE",
        help="use this file, or package:file, instead of the nearest pyproject.toml or ddplint.toml (the variable "
        "DDPLINT_CONFIG names one for what the nearest leaves open)",
    )


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
    add = found.add_argument_group("adopting it in a project with findings").add_argument
    add("--write-baseline", metavar="FILE", help="write what is found into a baseline, for --baseline")
    add("--add-ignores", metavar="REASON", help="put a suppression comment with this reason at each finding")


def _fixing(found: argparse.ArgumentParser) -> None:
    add = found.add_argument_group("fixing").add_argument
    add("--fix", action="store_true", help="apply the safe fixes")
    add("--exit-non-zero-on-fix", action="store_true", help="with --fix: exit code 1 where anything was fixed")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that change what is computed")
    add("--fix-advice", action="store_true", help="with --fix or --diff over a folder: also fixes of advice")
    add("--diff", action="store_true", help="show what --fix or --insert would change, write nothing")
    add(
        "--insert",
        type=_codes,
        metavar="NAME",
        help="put in what no rule asks for, each place verified like a fix: step-count-check (after each loop over "
        "batches the ranks compare how many they had), verified-save (rank 0 saves beside the target, checks, moves; "
        "all ranks go on or raise together), agreement-check (before training the ranks compare settings, weights "
        "and data); comma-separated",
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
    add(
        "--show-all",
        action="store_true",
        help="explain what is in copies of other projects, or in functions that nothing calls, instead of counting it",
    )
    add("--strict", action="store_true", help="advice counts for the exit code too")
    add("--exit-zero", action="store_true", help="findings do not count for the exit code")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, where a terminal reads it")
    add("-q", "--quiet", action="store_true", help="print findings only: no counts, no warnings")
    add("-v", "--verbose", action="store_true", help="also report limits, suppressed findings and the configuration")


def _running(found: argparse.ArgumentParser) -> None:
    add = found.add_argument_group("running").add_argument
    add("--jobs", type=_count, metavar="N", help="use at most N processes (default: 0, one for each CPU)")
    add(
        "--seconds-per-file",
        type=_count,
        metavar="S",
        help="stop with a file after S seconds of processor time (default: 20; 0: never)",
    )
    add("--no-cache", action="store_true", help="neither use nor keep results of other runs")
    add("--cache-dir", type=Path, metavar="DIR", help="keep results here (default: .ddplint_cache in the repository)")
    add("--stdin-filename", metavar="NAME", help="what the file on standard input is called")
    add("--show-settings", action="store_true", help="print the settings that hold for the paths, and check nothing")
    add(
        "--show-index",
        metavar="NAME",
        help="print what a call of a function does, where that comes from, its callers, and check nothing",
    )
    add("--show-files", action="store_true", help="print the files that would be checked, and check nothing")
    add("-V", "--version", action="version", version=f"ddplint {__version__}")


def _codes(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 0 up")
    return int(text)


def _output(text: str) -> Output:
    try:
        return Output.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
