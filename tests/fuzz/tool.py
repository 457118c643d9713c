"""Asks ddplint about programs, many at a time, and keeps what it says of divergences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.modules import join, split

TOP = Path(__file__).parent.parent.parent
Record = dict[str, Any]
# A caught exception is a warning about what might be raised; on a program that really diverges it is the true alarm.
MAYBE = frozenset({"DDP105"})
DIVERGENCE = frozenset({"DDP101", "DDP102", "DDP103", "DDP104", "DDP105", "DDP106"})


@dataclass(frozen=True)
class Alarm:
    """A finding that says the ranks diverge: its code, its line, and every other line it names."""

    code: str
    line: int
    message: str
    named: frozenset[int]


@dataclass(frozen=True)
class Answer:
    """What ddplint says of one program; ``limits`` and ``problems`` are what kept it from seeing everything."""

    alarms: tuple[Alarm, ...] = ()
    limits: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class ToolError(Exception):
    """ddplint did not answer as it should."""


def ask(sources: Sequence[str], codes: frozenset[str] = DIVERGENCE) -> list[Answer]:
    """The answer for each program, from one run over a folder; alarms are the findings of ``codes``.

    Raises ``ToolError`` when the run as a whole fails.
    """
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        _write(folder, sources)
        report = _report(folder)
    alarms, limits, problems = (_by_program(report[key]) for key in ("findings", "limits", "problems"))
    return [
        Answer(
            tuple(_alarm(finding) for finding in alarms[number] if finding["code"] in codes),
            tuple(str(limit["text"]) for limit in limits[number]),
            tuple(str(problem["message"]) for problem in problems[number] if problem["fatal"]),
        )
        for number in range(len(sources))
    ]


def fix(sources: Sequence[str], *options: str) -> list[str]:
    """The programs after ``--fix``, and further options. Raises ``ToolError`` when the run fails."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        paths = _write(folder, sources)
        _run("--fix", *options, folder)
        return [join({name: path.read_text() for name, path in each.items()}) for each in paths]


def _write(folder: str, sources: Sequence[str]) -> list[dict[str, Path]]:
    """The files of each program; those of several modules have a folder of their own."""
    written = []
    for number, source in enumerate(sources):
        texts = split(source)
        own = Path(folder, f"program_{number}.py") if len(texts) == 1 else Path(folder, f"program_{number}", "train.py")
        own.parent.mkdir(exist_ok=True)
        paths = {name: own.with_name(f"{name}.py") if name else own for name in texts}
        for name, path in paths.items():
            path.write_text(texts[name])
        written.append(paths)
    return written


def _run(*words: str) -> str:
    command = [sys.executable, "-m", "ddplint", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TOP), str(TOP / "rules"), *sys.path])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr:
        raise ToolError(f"exit {done.returncode}: {done.stderr[-3000:]}")
    return done.stdout


def _report(folder: str) -> Record:
    """What ``ddplint --output-format json`` prints for the folder."""
    from ddplint.config.settings import Settings
    from ddplint.engine.checker import check
    from ddplint.report.context import Context
    from ddplint.report.formats.json import render
    from ddplint.rule import Confidence

    try:
        report: Record = json.loads(render(check([folder], Settings(min_confidence=Confidence.LOW)), Context()))
    except Exception as error:
        raise ToolError(traceback.format_exc()[-3000:]) from error
    return report


def _by_program(records: list[Record]) -> dict[int, list[Record]]:
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        path = record.get("path") or record.get("place", {}).get("path", "")
        if not path:
            raise ToolError(f"not about a program: {record}")
        found[_number(Path(path))].append(record)
    return found


def _number(path: Path) -> int:
    named = next(part for part in reversed(path.parts) if part.startswith("program_"))
    return int(named.removeprefix("program_").removesuffix(".py"))


def _alarm(finding: Record) -> Alarm:
    named = frozenset(_lines(finding))
    return Alarm(finding["code"], int(finding["place"]["line"]), str(finding["message"]), named)


def _lines(value: Any) -> list[int]:
    """Every ``line`` anywhere inside a finding."""
    if isinstance(value, dict):
        own = [value["line"]] if isinstance(value.get("line"), int) else []
        return own + [line for part in value.values() for line in _lines(part)]
    if isinstance(value, list):
        return [line for part in value for line in _lines(part)]
    return []
