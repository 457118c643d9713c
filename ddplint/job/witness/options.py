"""What follows ``-m ddplint.witness`` on the command line."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Options:
    """``after``: seconds a rank waits before the ranks are compared; ``traces``: a folder, or empty for no files.

    ``source``: what is walked to find the finding that fits; empty for the folder of the program. ``keep``: operations
    of one rank that stay in its trace file, twice that many at most.
    """

    after: float = 30.0
    traces: str = ""
    source: str = ""
    output_format: str = "text"
    check: bool = True
    summary: bool = True
    keep: int = 100_000

    def spelled(self) -> str:
        """These options as text that :meth:`read` understands, for child processes."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> Options:
        """The options that :meth:`spelled` wrote."""
        return Options(**json.loads(text))


def parse(arguments: Sequence[str]) -> tuple[Options, bool, list[str]]:
    """The options, whether a module is run (``-m NAME``), and the program with its arguments. Exits with 2 if wrong."""
    parser = _parser()
    own, program = _split(parser, arguments)
    given = parser.parse_args(own)
    module = program[:1] == ["-m"]
    program = program[1:] if module else program
    if not program:
        parser.error("give the script to run, or -m and a module")
    options = Options(
        after=given.after,
        traces=given.traces,
        source=given.source,
        output_format=given.output_format,
        check=given.check,
        summary=given.summary,
        keep=given.keep,
    )
    return options, module, program


def _split(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is ours, and what begins with the script or ``-m`` and is the program's, whatever it looks like."""
    valued = {name for action in parser._actions if action.nargs != 0 for name in action.option_strings}
    index = 0
    while index < len(arguments) and arguments[index].startswith("-") and arguments[index] != "-m":
        index += 2 if arguments[index] in valued else 1
    return list(arguments[:index]), list(arguments[index:])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="torchrun … -m ddplint.witness",
        usage="torchrun … -m ddplint.witness [options] SCRIPT [arguments]   (or -m MODULE [arguments])",
        description="Run a program unchanged, record the collectives of every rank, and say where the ranks diverge.",
        epilog="The exit code is the program's own; 2 where these options are wrong.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--after", type=_seconds, default=30.0, metavar="S", help="seconds a rank waits before ranks are compared (30)")
    add("--traces", default="", metavar="DIR", help="also write what each rank did to files in DIR (default: no files)")
    add(
        "--source",
        default="",
        metavar="DIR",
        help="what ddplint check walks for the finding that fits (the script's folder)",
    )
    add("--output-format", "--output", choices=("text", "json"), default="text", help="of the reports (default: text)")
    add("--no-check", dest="check", action="store_false", help="do not look for the finding that fits")
    add("--no-summary", dest="summary", action="store_false", help="no table when the job ends")
    add("--keep", type=_count, default=100_000, metavar="N", help="operations that a trace file holds (100000)")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError("must be a number of seconds above 0")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1000:
        raise argparse.ArgumentTypeError("must be at least 1000")
    return value
