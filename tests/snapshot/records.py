"""A finding as JSON values: all that a user may ever be shown of it."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

from ddplint.engine.detach import settled
from ddplint.findings.detached import SettledFix
from ddplint.rule import Finding, Place

__all__ = ["finding_record"]


def finding_record(finding: Finding) -> dict[str, Any]:
    """The record of a finding; paths are relative to the working directory."""
    finding = settled(finding)
    return {
        "place": _place(finding.place),
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "because": finding.certainty.text,
        "message": finding.message,
        "notes": [[note.role, _place(note.place), note.text] for note in finding.notes],
        "actions": [
            [list(one.ranks), one.what, one.place and _place(one.place), one.remark] for one in finding.actions
        ],
        "fix": None if finding.fix is None else _fix(finding.fix),
        "no fix": finding.no_fix,
    }


def _fix(fix: object) -> list[Any]:
    assert isinstance(fix, SettledFix)
    changes = [[_path(one.file.real_path), *astuple(one.range), one.text] for one in fix.changes]
    return [fix.title, fix.safety.value, changes]


def _place(place: Place) -> str:
    span = place.range
    return f"{_path(place.file.real_path)}:{span.start_line}:{span.start_col}-{span.end_line}:{span.end_col}"


def _path(path: Path) -> str:
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name
