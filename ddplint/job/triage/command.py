"""``ddplint triage LOG… [--source DIR] [--dump DIR] [--traces DIR]``.

Exit codes: 0 nothing found that failed, 1 a class of cause was named (or none fits what failed), 2 nothing readable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reader import read_logs
from ddplint.job.triage.recorder.collecting import read_dumps
from ddplint.job.triage.verdict import Verdict, judge
from ddplint.util.optionparser import Parser

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched

__all__ = ["command"]


def command(arguments: Sequence[str]) -> int:
    """Carry out ``triage`` with what follows it on the command line, and return the exit code."""
    options = _parser().parse_args(arguments)
    evidence = Evidence()
    if not options.logs and not options.dump and not options.traces:
        print("error: give at least one log, - for standard input, --dump or --traces", file=sys.stderr)
        return 2
    read_logs(options.logs, evidence)
    for folder in options.dump:
        try:
            read_dumps(folder, evidence)
        except OSError as error:
            evidence.problems.append(f"{folder}: {error.strerror or error}")
    for folder in options.traces:
        try:
            _traces(folder, evidence)
        except OSError as error:
            evidence.problems.append(f"{folder}: {error.strerror or error}")
    if not evidence.lines and not evidence.dumps:
        for text in evidence.problems or ["the logs are empty"]:
            print(f"error: {text}", file=sys.stderr)
        return 2
    verdict = judge(evidence)
    matched = _matched(options.source, evidence, verdict) if options.source else None
    if options.output_format == "json":
        from ddplint.job.triage.report import render_json as render
    elif options.output_format == "html":
        from ddplint.job.triage.lanes import render_html as render
    else:
        from ddplint.job.triage.report import render_text as render
    sys.stdout.write(render(evidence, verdict, matched))
    quiet = verdict.cause == "unknown" and not any(death.exitcode for death in evidence.deaths)
    return 0 if quiet else 1


def _traces(folder: str, evidence: Evidence) -> None:
    from ddplint.job.triage.traces import read_traces

    read_traces(folder, evidence)


def _matched(source: str, evidence: Evidence, verdict: Verdict) -> Matched:
    from ddplint.job.triage.program import match

    return match(source, evidence, verdict)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="ddplint triage",
        description="Name the class of cause from the logs of a job that died and, with --source, the line that fits.",
        epilog="Exit codes: 0 nothing in the logs failed, 1 something did, 2 nothing could be read.",
        allow_abbrev=False,
    )
    parser.add_argument("logs", nargs="*", metavar="LOG", help="logs, .gz too, or - for standard input")
    parser.add_argument("--source", metavar="DIR", help="the program's source: walk it and name the line that fits")
    parser.add_argument("--dump", metavar="DIR", action="append", default=[], help="Flight Recorder dumps")
    parser.add_argument("--traces", metavar="DIR", action="append", default=[], help="what ddplint.witness left")
    parser.add_argument("--output-format", choices=("text", "json", "html"), default="text", help="default: text")
    return parser
