"""Which finding of ``ddplint check`` fits a report: ``python -m ddplint.job.witness.fit SOURCE FORMAT < FILE``."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ddplint.config.settings import SettingsError
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.program import Matched, match
from ddplint.job.triage.verdict import Verdict
from ddplint.job.triage.witnessed import add_report

_LONGEST = 400


def main() -> int:
    """Read a report from the standard input, print what fits it, and return 0, or 2 where nothing could be walked."""
    source, output_format = sys.argv[1:3]
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    told = json.load(sys.stdin)
    try:
        matched, evidence = fitting(told, source)
    except (SettingsError, OSError) as error:
        print(f"ddplint check: {error}", file=sys.stderr)
        return 2
    if output_format == "json":
        print(json.dumps({"format": "ddplint-witness-finding", "version": 1, **_record(matched)}), flush=True)
    else:
        print("\n".join(_lines(matched, evidence)), flush=True)
    return 0


def _end_with(parent: int) -> None:
    """End when the process that asked has ended: nobody reads the answer any more."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


def fitting(told: Mapping[str, Any], source: str) -> tuple[Matched, Evidence]:
    """Walk ``source`` and order its findings by a report. Raises ``SettingsError`` where its settings are wrong."""
    evidence = Evidence()
    add_report(told, evidence, "the witness")
    verdict = Verdict(missing=tuple(told["absent"]))
    return match(source, evidence, verdict), evidence


def _record(matched: Matched) -> dict[str, Any]:
    best = matched.candidates[0] if matched.fits else None
    return {
        "fits": None
        if best is None
        else {"place": best.place, "code": best.finding.code, "message": best.finding.message},
        "because": [] if best is None else best.because,
        "findings": len(matched.candidates),
        "problems": matched.problems,
    }


def _lines(matched: Matched, evidence: Evidence) -> Iterator[str]:
    if matched.fits:
        best = matched.candidates[0]
        yield f"  ddplint check: {_shown(best.place)} {best.finding.code} {best.finding.message}"
        yield from (f"    {text}" for text in best.because[:2])
        return
    likely = [one for one in matched.candidates if one.because]
    if likely:
        yield "  ddplint check: several findings fit alike:"
        yield from (f"    {_shown(one.place)} {one.finding.code} {one.finding.message}" for one in likely[:3])
        return
    yield "  ddplint check: no finding fits: what the ranks decide by is unknown to it, or the call that led here is"
    yield from (f"    not walked: {text}" for text in matched.problems)
    names = sorted({_called(stack.own.function) for stack in evidence.stacks if stack.own is not None} - {""})
    if names:
        calls = ", ".join(f'"{name}"' for name in names[:4])
        yield f"    if a function of yours is not followed, name it: [tool.ddplint.knowledge] collectives = [{calls}]"


def _called(function: str) -> str:
    """A function as the knowledge names it: ``*.method`` for one of a class."""
    if not function or function.startswith("<"):
        return ""
    name = function.rpartition(".")[2]
    return f"*.{name}" if "." in function else name


def _shown(place: str) -> str:
    return place.removeprefix(os.getcwd() + os.sep)[:_LONGEST]


if __name__ == "__main__":
    sys.exit(main())
