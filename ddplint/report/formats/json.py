"""The format for programs; ``ddplint/report/findings.schema.json`` describes it."""

from __future__ import annotations

import json
import os
from typing import Any

from ddplint.findings.fingerprints import fingerprints
from ddplint.findings.model import Finding, Fix, Note, RankAction
from ddplint.findings.places import place_record
from ddplint.findings.results import Report, Silenced
from ddplint.report.context import Context
from ddplint.report.edits import edit_records
from ddplint.report.revision import revision_of
from ddplint.report.roots import roots_of
from ddplint.version import __version__

FORMAT_VERSION = 1
"""Raised when a field goes or changes its meaning; new fields may come without."""

_REPOSITORY = ("GITHUB_REPOSITORY", "CI_PROJECT_PATH")
"""Where GitHub and GitLab say what the repository is called; elsewhere it is the name of its folder."""


def render(report: Report, context: Context) -> str:
    """The whole report as one JSON object, with a line end."""
    marks = fingerprints(report, context.top)
    leads = {id(one): marks[id(root.lead)] for root in roots_of(report.findings) for one in root.findings}
    everything = [(finding, None) for finding in report.findings]
    everything += [(silenced.finding, silenced) for silenced in report.silenced]  # type: ignore[misc]
    told = [
        {**_finding(*pair), "fingerprint": marks[id(pair[0])], "root": leads.get(id(pair[0]))} for pair in everything
    ]
    record = {
        "format": "ddplint-findings",
        "version": FORMAT_VERSION,
        "tool": {"name": "ddplint", "version": __version__},
        "run": _run(context),
        "exit_code": report.exit_code(strict=context.strict, exit_zero=context.exit_zero),
        "findings": sorted(told, key=_order),
        "fixed": [_finding(finding, None) for finding in report.fixed],
        "checked": report.checked,
        "skipped": [{"path": problem.path, "reason": problem.message} for problem in report.skipped],
        "limits": [{"path": limit.path, "entry": limit.entry, "text": limit.text} for limit in report.limits],
        "problems": [
            {"path": item.path, "line": item.line, "column": item.column, "fatal": item.fatal, "message": item.message}
            for item in report.problems
        ],
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _run(context: Context) -> dict[str, Any]:
    """Which repository this is, at which revision, and when it was checked."""
    return {
        "repository": next(filter(None, map(os.environ.get, _REPOSITORY)), context.top.name),
        "revision": revision_of(context.top),
        "date": f"{context.moment:%Y-%m-%dT%H:%M:%SZ}",
    }


def _order(record: dict[str, Any]) -> tuple[Any, ...]:
    place = record["place"]
    return place["path"], place["line"], place["column"], record["code"]


def _finding(finding: Finding, silenced: Silenced | None) -> dict[str, Any]:
    guards = _notes(finding, "guard")
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "because": [
            {"reason": one.value, "level": one.level.value, "text": one.text} for one in finding.certainty.because
        ],
        "harm": finding.harm.value,
        "message": finding.message,
        "place": place_record(finding.place),
        "guard": guards[0] if guards else None,
        "programs": finding.programs,
        "fold": None if finding.fold is None else finding.fold.value,
        "outcome": None if finding.outcome is None else finding.outcome.value,
        "actions": [_action(action) for action in finding.actions],
        "ends": [_action(action) for action in finding.ends],
        "calls": _notes(finding, "call"),
        "callers": _notes(finding, "caller"),
        "origins": _notes(finding, "origin"),
        "related": [
            *guards[1:],
            *(_note(note) for note in finding.notes if note.role not in ("guard", "call", "caller", "origin")),
        ],
        "fix": None if finding.fix is None else _fix(finding.fix),
        "no_fix": finding.no_fix,
        "suppressed": None if silenced is None else _silenced(silenced),
    }


def _notes(finding: Finding, role: str) -> list[dict[str, Any]]:
    return [_note(note) for note in finding.notes if note.role == role]


def _note(note: Note) -> dict[str, Any]:
    return {"text": note.text, "place": place_record(note.place)}


def _action(action: RankAction) -> dict[str, Any]:
    place = None if action.place is None else place_record(action.place)
    return {
        "ranks": list(action.ranks),
        "does": action.what,
        "place": place,
        "remark": action.remark,
        "waits": action.waits,
        "apart": action.apart,
        "visit": action.visit,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {"title": fix.title, "safety": fix.safety.value, "edits": edit_records(fix)}


def _silenced(silenced: Silenced) -> dict[str, Any]:
    return {"by": silenced.by, "line": silenced.line or None, "reason": silenced.reason}
