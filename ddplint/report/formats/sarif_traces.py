"""What each group of ranks does, as a SARIF code flow: one thread flow for each group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ddplint.findings.model import Finding, RankAction
from ddplint.report.formats.sarif_places import region
from ddplint.report.wording import bare_remark, group_name, visited

Record = dict[str, Any]


def code_flow(finding: Finding) -> list[Record]:
    """One code flow, or none for a finding that says nothing about ranks.

    Every group passes where the values that differ come from and the guard; the first one goes on through the calls
    to the operation. What a group does next is marked essential.
    """
    if not finding.actions:
        return []
    flows = [_flow(finding, action, first=number == 0) for number, action in enumerate(finding.actions)]
    return [{"message": {"text": finding.message}, "threadFlows": flows}]


def _flow(finding: Finding, action: RankAction, *, first: bool) -> Record:
    ends = [_end(one) for one in finding.ends if one.ranks == action.ranks]
    steps = [*_shared(finding), *(_way(finding) if first else ()), _end(action), *ends]
    for number, step in enumerate(steps, 1):
        step["executionOrder"] = number
    name = group_name(action.ranks)
    return {"id": name, "message": {"text": f"{name}: {action.what}"}, "locations": steps}


def _shared(finding: Finding) -> Iterator[Record]:
    for role in ("origin", "guard"):
        for note in finding.notes:
            if note.role == role:
                yield {"location": region(note.place, note.text), "kinds": [role], "importance": "important"}


def _way(finding: Finding) -> Iterator[Record]:
    calls = [note for note in finding.notes if note.role == "call"]
    yield {"location": region(finding.place, finding.message), "importance": "important", "nestingLevel": 0}
    for depth, note in enumerate(calls, 1):
        yield {"location": region(note.place, note.text), "kinds": ["call"], "nestingLevel": depth}


def _end(action: RankAction) -> Record:
    said = f"{action.what}{visited(action)}" + (f" ({bare_remark(action.remark)})" if action.remark else "")
    where = {"message": {"text": said}} if action.place is None else region(action.place, said)
    return {"location": where, "kinds": ["operation"], "importance": "essential"}
