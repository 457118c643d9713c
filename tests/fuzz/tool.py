"""Asks ddplint about programs, many at a time, and keeps what it says of divergences."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DIVERGENCE = frozenset({"DDP101", "DDP102", "DDP103", "DDP104", "DDP105", "DDP106"})


@dataclass(frozen=True)
class Alarm:
    """A finding that says the ranks diverge: its code, its line, and every other line it names."""

    code: str
    line: int
    message: str
    named: frozenset[int]


class ToolError(Exception):
    """ddplint did not answer as it should."""


def alarms(sources: Sequence[str]) -> list[list[Alarm]]:
    """The divergence alarms for each program.

    The programs are checked by one run of the command line over a folder. Raises ``ToolError`` when it fails.
    """
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        for number, source in enumerate(sources):
            (Path(folder) / f"program_{number}.py").write_text(source)
        answer: list[list[Alarm]] = [[] for _ in sources]
        for finding in _findings(Path(folder)):
            if finding["code"] in DIVERGENCE:
                answer[int(Path(finding["file"]).stem.removeprefix("program_"))].append(_alarm(finding))
        return answer


def _findings(folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "ddplint", "--output-format", "json", "--no-cache", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise ToolError(f"exit {done.returncode}: {done.stderr[-3000:]}")
    try:
        findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ToolError(f"unreadable answer: {done.stdout[:300]!r}") from error
    return findings


def _alarm(finding: dict[str, Any]) -> Alarm:
    named = frozenset(_lines(finding))
    return Alarm(finding["code"], int(finding["line"]), str(finding.get("message", "")), named)


def _lines(value: Any) -> list[int]:
    """Every ``line`` anywhere inside a finding."""
    if isinstance(value, dict):
        own = [value["line"]] if isinstance(value.get("line"), int) else []
        return own + [line for part in value.values() for line in _lines(part)]
    if isinstance(value, list):
        return [line for part in value for line in _lines(part)]
    return []
