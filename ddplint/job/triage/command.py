"""``ddplint triage LOG… [--source DIR] [--dump DIR] [--traces DIR]``.

Exit codes: 0 no failure found, 1 something failed, 2 what was given is no log or cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.recorder.collecting import read_dumps
from ddplint.job.triage.verdict import Verdict, judge
from ddplint.util.optionparser import Parser

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched


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
    verdict = judge(evidence)
    if not evidence.dumps and (not evidence.lines or (evidence.torn and not verdict.failed)):
        for text in evidence.problems or ["the logs are empty"]:
            print(f"error: {text}", file=sys.stderr)
        return 2
    matched = _matched(options.source, evidence, verdict) if options.source else None
    sys.stdout.write(_rendered(options.output_format, evidence, verdict, matched))
    return 1 if verdict.failed else 0


def _rendered(form: str, evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    if form == "json":
        from ddplint.job.triage.answer.record import render_json as render
    elif form == "html":
        from ddplint.job.triage.answer.page import render_html as render
    elif form == "oneline":
        from ddplint.job.triage.answer.text import render_oneline as render
    else:
        from ddplint.job.triage.answer.text import render_text as render
    return render(evidence, verdict, matched)


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
        epilog="Exit codes: 0 no failure found, 1 something failed, 2 no log, or it cannot be read.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "logs", nargs="*", metavar="LOG", help="logs, folders of logs, .gz and .tar too, or - for standard input"
    )
    parser.add_argument("--source", metavar="DIR", help="the program's source: walk it and name the line that fits")
    parser.add_argument("--dump", metavar="DIR", action="append", default=[], help="Flight Recorder dumps")
    parser.add_argument("--traces", metavar="DIR", action="append", default=[], help="what ddplint.witness left")
    parser.add_argument(
        "--output-format", choices=("text", "json", "html", "oneline"), default="text", help="default: text"
    )
    return parser
