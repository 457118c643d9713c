"""SARIF 2.1.0 (OASIS): what code scanning services and editors read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ddplint.config.levels import Severity
from ddplint.findings.detached import Replacement
from ddplint.findings.fingerprints import fingerprints
from ddplint.findings.model import Finding, Fix
from ddplint.findings.results import Problem, Report, Silenced
from ddplint.report.context import Context
from ddplint.report.formats.sarif_places import location, region
from ddplint.report.formats.sarif_traces import code_flow
from ddplint.report.replacements import replacements
from ddplint.report.roots import Root, roots_of
from ddplint.report.wording import told
from ddplint.rule import Rule
from ddplint.rulebook.pages import page, summary_of
from ddplint.rulebook.registry import load_rules
from ddplint.version import DOCUMENTATION, __version__, rule_address

Record = dict[str, Any]
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}


def render(report: Report, context: Context) -> str:
    """The report as one SARIF log with one run; silenced findings are in it, with their suppression.

    What is folded is in it as a note, with the reason among its properties.
    """
    rules = load_rules().rules
    marks = fingerprints(report, context.top)
    everything: list[tuple[Finding, Silenced | None]] = [(finding, None) for finding in report.findings]
    everything += [(silenced.finding, silenced) for silenced in report.silenced]
    numbers = {rule.code: number for number, rule in enumerate(rules)}
    roots = {id(one): root for root in roots_of(report.findings) for one in root.findings}
    run: Record = {
        "tool": {"driver": _driver(rules)},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, context)],
        "results": [
            _folded(_result(one, by, numbers, marks, roots.get(id(one))), one, context) for one, by in everything
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _driver(rules: Sequence[Rule]) -> Record:
    return {
        "name": "ddplint",
        "version": __version__,
        "informationUri": DOCUMENTATION,
        "rules": [_rule(rule) for rule in rules],
    }


def _rule(rule: Rule) -> Record:
    return {
        "id": rule.code,
        "name": "".join(word.title() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "fullDescription": {"text": summary_of(rule)},
        "helpUri": rule_address(rule.code),
        "help": {"text": f"{summary_of(rule)} See: ddplint rule {rule.code}", "markdown": page(rule)},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
        "properties": {"tags": ["correctness", "distributed"], "problem.severity": _severity(rule.severity)},
    }


def _severity(severity: Severity) -> str:
    """In the words of GitHub."""
    return "recommendation" if severity is Severity.ADVICE else severity.value


def _invocation(report: Report, context: Context) -> Record:
    return {
        "executionSuccessful": not report.errors,
        "exitCode": report.exit_code(strict=context.strict, exit_zero=context.exit_zero),
        "toolExecutionNotifications": [_notification(problem) for problem in report.problems],
    }


def _notification(problem: Problem) -> Record:
    record: Record = {"level": "error" if problem.fatal else "warning", "message": {"text": problem.message}}
    if problem.path:
        where: Record = {"artifactLocation": location(problem.path)}
        if problem.line:
            where["region"] = {"startLine": problem.line, "startColumn": max(problem.column, 1)}
        record["locations"] = [{"physicalLocation": where}]
    return record


def _result(
    finding: Finding, silenced: Silenced | None, rules: dict[str, int], marks: dict[int, str], root: Root | None
) -> Record:
    related = [(note.place, note.text) for note in finding.notes if note.role != "call" or not finding.actions]
    further = root.further if root is not None and root.lead is finding else ()
    related += [(one.place, f"the same root cause: {one.code} {one.message}") for one in further]
    record: Record = {
        "ruleId": finding.code,
        "level": _LEVEL[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [region(finding.place)],
        "relatedLocations": [region(place, text, number) for number, (place, text) in enumerate(related, 1)],
        "codeFlows": code_flow(finding),
        "partialFingerprints": {"ddplint/v1": marks[id(finding)]},
        "fixes": [] if finding.fix is None else _fixes(finding.fix),
        "properties": {
            "confidence": finding.confidence.value,
            "because": [one.value for one in finding.certainty.because],
            "name": finding.name,
            "harm": finding.harm.value,
            "severity": finding.severity.value,
        },
    }
    if root is not None:
        record["properties"]["root"] = marks[id(root.lead)]
    if finding.code in rules:
        record["ruleIndex"] = rules[finding.code]
    if silenced is not None:
        record["suppressions"] = [_suppression(silenced)]
    return {key: value for key, value in record.items() if value != []}


def _folded(record: Record, finding: Finding, context: Context) -> Record:
    """The record as it is, or where the finding is folded as a note: services count and gate by the level."""
    if finding.fold is None or context.show_all:
        return record
    return {**record, "level": "note", "properties": {**record["properties"], "fold": finding.fold.value}}


def _message(finding: Finding) -> str:
    hint = finding.fix.title if finding.fix is not None else finding.no_fix
    return ". ".join(part.rstrip(".") for part in (finding.message, "; ".join(told(finding)), hint) if part) + "."


def _suppression(silenced: Silenced) -> Record:
    record: Record = {"kind": "inSource" if silenced.by == "comment" else "external"}
    why = silenced.reason if silenced.by == "comment" else f"{silenced.by} {silenced.reason}".strip()
    return {**record, "justification": why} if why else record


def _fixes(fix: Fix) -> list[Record]:
    changes = replacements(fix)
    if not changes:
        return []
    files = dict.fromkeys(change.file for change in changes)
    return [
        {
            "description": {"text": f"{fix.title} ({fix.safety.value})"},
            "artifactChanges": [
                {
                    "artifactLocation": location(file.path),
                    "replacements": _replacements(change for change in changes if change.file is file),
                }
                for file in files
            ],
        }
    ]


def _replacements(changes: Iterable[Replacement]) -> list[Record]:
    return [
        {
            "deletedRegion": {
                "startLine": change.range.start_line,
                "startColumn": change.range.start_col,
                "endLine": change.range.end_line,
                "endColumn": change.range.end_col,
            },
            "insertedContent": {"text": change.text},
        }
        for change in changes
    ]
