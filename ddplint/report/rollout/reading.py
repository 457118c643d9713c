"""JSON reports of ddplint as records."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ddplint.util.regular import read_regular

SEVERITIES = ("error", "warning", "advice")


class ReportError(Exception):
    """A file that is no report; the text is one line for the user."""


@dataclass(frozen=True)
class Entry:
    """One finding. ``state``: ``open``, ``known`` (from a baseline) or ``silenced`` (by a comment or the settings)."""

    fingerprint: str
    code: str
    name: str
    severity: str
    path: str
    line: int
    message: str
    fixable: bool
    state: str


@dataclass(frozen=True)
class Snapshot:
    """One run. ``unchecked`` counts what could not be checked; ``date`` is that of the file where it says none."""

    repository: str
    revision: str
    date: datetime.datetime
    entries: tuple[Entry, ...]
    unchecked: int

    def of(self, state: str, severity: str | None = None) -> list[Entry]:
        """The findings in a state, of one severity or of all."""
        return [one for one in self.entries if one.state == state and severity in (None, one.severity)]


def read_report(path: str) -> Snapshot:
    """One report. Raises :class:`ReportError` where the file cannot be read or is no JSON report of ddplint."""
    try:
        record = json.loads(read_regular(path))
    except OSError as error:
        raise ReportError(f"{path}: error: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise ReportError(f"{path}: error: is no JSON") from None
    if not isinstance(record, dict) or record.get("format") != "ddplint-findings":
        raise ReportError(f"{path}: error: is no report of ddplint; write one with --output json=FILE")
    if record.get("version") != 1:
        raise ReportError(f"{path}: error: is a report of version {record.get('version')!s:.20}, not 1")
    try:
        return _snapshot(path, record)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise ReportError(f"{path}: error: is damaged: not what findings.schema.json describes") from None


def _snapshot(path: str, record: Mapping[str, Any]) -> Snapshot:
    run = record.get("run") or {}
    told = run.get("date")
    date = datetime.datetime.fromisoformat(_text(told).replace("Z", "+00:00")) if told else _modified(path)
    return Snapshot(
        _text(run.get("repository") or Path(path).stem),
        _text(run.get("revision") or ""),
        date if date.tzinfo else date.replace(tzinfo=datetime.timezone.utc),
        tuple(_entry(one) for one in record["findings"]),
        sum(bool(one["fatal"]) for one in record["problems"]),
    )


def _modified(path: str) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(os.stat(path).st_mtime, datetime.timezone.utc)


def _entry(record: Mapping[str, Any]) -> Entry:
    if record["severity"] not in SEVERITIES:
        raise ValueError(record["severity"])
    silenced = record["suppressed"]
    state = "open" if silenced is None else "known" if silenced["by"] == "baseline" else "silenced"
    return Entry(
        _text(record["fingerprint"]),
        _text(record["code"]),
        _text(record["name"]),
        record["severity"],
        _text(record["place"]["path"]),
        int(record["place"]["line"]),
        _text(record["message"]),
        record["fix"] is not None,
        state,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
