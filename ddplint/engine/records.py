"""What the check of one file came to, and that as a record for the cache and for other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddplint.analysis.domain.outcome import Outcome as AtRunTime
from ddplint.config.levels import Severity
from ddplint.config.reasons import Because
from ddplint.engine.detach import settled
from ddplint.findings.certainty import Certainty
from ddplint.findings.detached import Replacement, SettledFix, SettledPlace, at
from ddplint.findings.model import Finding, Fold, Harm, Note, Operation, Place, RankAction, Safety
from ddplint.findings.results import Problem
from ddplint.project.records import Limit, Lookup
from ddplint.project.schedule import Reached
from ddplint.source.file import SourceFile
from ddplint.source.suppressions import Suppression, Suppressions
from ddplint.util.ranges import Range

if TYPE_CHECKING:
    from ddplint.project.presence import Presences


Record = dict[str, Any]
Files = Callable[[str], SourceFile]


@dataclass
class Outcome:
    """All that one file gave, before anything is silenced: findings may be in other files, too.

    ``remarks`` are warnings about what could not be decided. ``walked`` is false where the file could not be parsed.
    ``lookups`` are what else the outcome depends on, and ``answers`` what the index said of files; ``reached`` are the
    definitions that were run, named or made objects of, ``present`` what speaks against all ranks getting there.
    ``begins``: the file is a program that starts several processes or makes their group. What is ``fleeting`` depends
    on more than that, and is not kept.
    """

    findings: list[Finding] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)
    walked: bool = False
    lookups: tuple[Lookup, ...] = ()
    reached: frozenset[Reached] = frozenset()
    present: Presences = field(default_factory=dict)
    answers: tuple[tuple[str, str], ...] = ()
    begins: bool = False
    fleeting: bool = False


def record_of(outcome: Outcome, file: SourceFile) -> Record:
    """The outcome of ``file`` as JSON values."""
    record: Record = {
        "findings": [_finding_record(settled(one)) for one in outcome.findings],
        "limits": [astuple(one) for one in outcome.limits],
        "problems": [astuple(one) for one in outcome.problems],
        "warnings": [astuple(one) for one in outcome.remarks],
        "walked": outcome.walked,
        "lookups": [astuple(one) for one in outcome.lookups],
        "reached": sorted(outcome.reached),
        "present": [[*key, list(found.items())] for key, found in outcome.present.items()],
        "answers": [list(one) for one in outcome.answers],
        "begins": outcome.begins,
        "fleeting": outcome.fleeting,
    }
    if outcome.walked:
        found = file.suppressions
        record["comments"] = [astuple(one) for one in found.comments]
        record["remarks"] = list(found.remarks)
    return record


def outcome_of(record: Record, file: SourceFile, files: Files) -> Outcome:
    """The outcome of ``file`` from its record; its comments need not be looked for again.

    Parameters: ``files`` gives the file of a real path. Raises ``KeyError``, ``TypeError``, ``ValueError`` or
    ``IndexError`` for what is no record.
    """
    if record["walked"]:
        comments = tuple(
            Suppression(line, tuple(codes), reason, whole, column)
            for line, codes, reason, whole, column in record["comments"]
        )
        file.__dict__["suppressions"] = Suppressions(comments, tuple((line, text) for line, text in record["remarks"]))
    return Outcome(
        [_finding(one, files) for one in record["findings"]],
        [Limit(*one) for one in record["limits"]],
        [Problem(*one) for one in record["problems"]],
        [Problem(*one) for one in record["warnings"]],
        bool(record["walked"]),
        tuple(Lookup(*one) for one in record["lookups"]),
        frozenset((path, what, ranks) for path, what, ranks in record["reached"]),
        {(path, number): dict(found) for path, number, found in record["present"]},
        tuple((path, said) for path, said in record["answers"]),
        bool(record["begins"]),
        bool(record["fleeting"]),
    )


def _finding_record(finding: Finding) -> Record:
    place, fix = finding.place, finding.fix
    assert isinstance(place, SettledPlace)
    record: Record = {
        "about": [
            finding.code,
            finding.name,
            finding.severity.value,
            finding.harm.value,
            None if finding.few_nodes is None else finding.few_nodes.value,
            None if finding.fold is None else finding.fold.value,
        ],
        "because": [one.value for one in finding.certainty.because],
        "said": [finding.message, finding.no_fix, finding.mistake],
        "place": _place_record(place),
        "anchor": [place.scopes, place.text, list(place.heads)],
        "notes": [[note.role, _place_record(note.place), note.text] for note in finding.notes],
        "actions": _action_records(finding.actions),
        "ends": _action_records(finding.ends),
        "outcome": None if finding.outcome is None else finding.outcome.value,
        "fix": None,
        "root": _maybe_place(finding.root),
    }
    if isinstance(fix, SettledFix):
        changes = [[str(one.file.real_path), astuple(one.range), one.text] for one in fix.changes]
        demands = [astuple(one) for one in fix.demands]
        record["fix"] = [fix.title, fix.safety.value, list(fix.records), changes, demands, fix.together]
    return record


def _operation(action: RankAction) -> tuple[Any, ...] | None:
    return None if action.operation is None else astuple(action.operation)


def _action_records(actions: Iterable[RankAction]) -> list[list[Any]]:
    return [
        [
            list(one.ranks),
            one.what,
            _maybe_place(one.place),
            one.remark,
            one.waits,
            one.apart,
            one.visit,
            _operation(one),
        ]
        for one in actions
    ]


def _actions(records: list[list[Any]], files: Files) -> tuple[RankAction, ...]:
    return tuple(
        RankAction(
            tuple(ranks),
            what,
            None if place is None else _place(place, files),
            remark,
            waits,
            apart,
            visit,
            None if operation is None else Operation(*operation),
        )
        for ranks, what, place, remark, waits, apart, visit, operation in records
    )


def _maybe_place(place: Place | None) -> list[Any] | None:
    return None if place is None else _place_record(place)


def _place_record(place: Place) -> list[Any]:
    return [str(place.file.real_path), *astuple(place.range)]


def _finding(record: Record, files: Files) -> Finding:
    code, name, severity, harm, few_nodes, fold = record["about"]
    message, no_fix, mistake = record["said"]
    own = _place(record["place"], files)
    scopes, text, heads = record["anchor"]
    return Finding(
        code,
        name,
        Severity(severity),
        Certainty(tuple(Because(one) for one in record["because"])),
        message,
        at(own.file, own.span, scopes, text, heads),
        tuple(Note(role, _place(place, files), said) for role, place, said in record["notes"]),
        _actions(record["actions"], files),
        _fix(record["fix"], files),
        no_fix,
        Harm(harm),
        None if record["root"] is None else _place(record["root"], files),
        few_nodes=None if few_nodes is None else Severity(few_nodes),
        fold=None if fold is None else Fold(fold),
        outcome=None if record["outcome"] is None else AtRunTime(record["outcome"]),
        ends=_actions(record["ends"], files),
        mistake=mistake,
    )


def _place(record: list[Any], files: Files) -> SettledPlace:
    path, *numbers = record
    return at(files(path), _range(numbers))


def _range(numbers: list[int]) -> Range:
    start, column, end, last = map(int, numbers)
    return Range(start, column, end, last)


def _fix(record: list[Any] | None, files: Files) -> SettledFix | None:
    if record is None:
        return None
    title, safety, records, changes, demands, together = record
    replaced = tuple(Replacement(files(path), _range(span), text) for path, span, text in changes)
    from ddplint.project.presence import Demand

    wanted = tuple(Demand(*one) for one in demands)
    return SettledFix(title, Safety(safety), (), wanted, tuple(map(dict, records)), replaced, together=together)


def known_file(path: str, known: dict[str, SourceFile]) -> SourceFile:
    from ddplint.project.modules import read_module

    if path not in known:
        known[path] = read_module(Path(path)) or SourceFile(path, b"")
    return known[path]
