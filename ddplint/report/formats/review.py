"""A review of a pull request, as GitHub's API takes it: comments on changed lines, the rest in its text.

``gh api repos/OWNER/NAME/pulls/NUMBER/reviews --input review.json`` posts it as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ddplint.findings.fingerprints import fingerprints
from ddplint.findings.model import Finding, Place, Safety
from ddplint.findings.results import Report
from ddplint.report.context import Context
from ddplint.report.formats.markdown import place_text, ranks_table
from ddplint.report.further import kinds_of
from ddplint.report.markdown_text import literal, prose
from ddplint.report.overview import places
from ddplint.report.replacements import applied, replacements
from ddplint.report.roots import Root, roots_of
from ddplint.report.summary import count, remedy, summary
from ddplint.util.paths import below
from ddplint.version import rule_address

_MOST = 30
"""Comments in one review."""
_MOST_LINES = 30
"""Lines that one suggestion replaces."""
_FURTHER = 5

Region = tuple[int, int, str]
"""The first and the last line that are replaced, and by what."""


def render(report: Report, context: Context) -> str:
    """One JSON object: ``event``, ``body`` and ``comments`` with ``path``, ``line``, ``side`` and ``body``."""
    marks = fingerprints(report, context.top)
    comments: list[dict[str, Any]] = []
    rest: list[Root] = []
    for root in roots_of(report.findings):
        place = _spot(root.lead, context)
        if place is None or len(comments) >= _MOST:
            rest.append(root)
        else:
            comments.append(_comment(root, place, marks[id(root.lead)], context))
    review = {"event": "COMMENT", "body": _body(report, rest), "comments": comments}
    return json.dumps(review, indent=2, ensure_ascii=False) + "\n"


def _spot(finding: Finding, context: Context) -> Place | None:
    """Where a comment may stand: the finding's own line, or another of its places, on a line that was changed."""
    notes = [note.place for note in finding.notes]
    others = [*notes, *(action.place for action in finding.actions if action.place is not None)]
    return next((place for place in (finding.place, *others) if context.is_changed(place.file, _line(place))), None)


def _line(place: Place) -> int:
    return place.range.start_line


def _comment(root: Root, place: Place, mark: str, context: Context) -> dict[str, Any]:
    region = _suggestion(root.lead, place, context) if mark in context.proven else None
    first, last, text = region or (_line(place), _line(place), "")
    elsewhere = place.file is not root.lead.place.file or not first <= _line(root.lead.place) <= last
    lines = [*_said(root, elsewhere), *(_fenced(text) if region else []), f"<!-- ddplint:{mark} -->"]
    record: dict[str, Any] = {"path": below(place.file.real_path, context.top), "line": last, "side": "RIGHT"}
    if first < last:
        record |= {"start_line": first, "start_side": "RIGHT"}
    return {**record, "body": "\n".join(lines) + "\n"}


def _said(root: Root, elsewhere: bool) -> Iterator[str]:
    finding = root.lead
    about = f"{finding.severity.value}, {finding.confidence.value} confidence"
    yield f"**[{finding.code}]({rule_address(finding.code)}) {finding.name}** ({about}): {prose(finding.message)}"
    yield ""
    if elsewhere:
        yield f"It is reported at {place_text(finding)}; this line has to do with it."
        yield ""
    if finding.actions:
        yield from ranks_table(finding, finding.place.file.path)
        yield ""
    yield prose(remedy(finding))
    yield ""
    if root.copies:
        yield f"The same at {literal(places(root.copies, most=_FURTHER))}."
        yield ""
    for alike in kinds_of(root.others)[:_FURTHER]:
        yield f"Also `{alike[0].code}` {prose(alike[0].message)} ({literal(places(alike, most=_FURTHER))})."
        yield ""


def _suggestion(finding: Finding, place: Place, context: Context) -> Region | None:
    """What a click may put in: a safe fix that a second walk confirmed, within one stretch of changed lines."""
    if finding.fix is None or finding.fix.safety is not Safety.SAFE:
        return None
    from ddplint.fixing.edit.diff import lines_of

    changes = replacements(finding.fix)
    if not changes or any(change.file is not place.file for change in changes):
        return None
    old = lines_of(place.file.text)
    first = min(change.range.start_line for change in changes)
    last = max(_last(change.range.end_line, change.range.end_col, change.range.start_line) for change in changes)
    first, last = min(first, len(old)), min(last, len(old))
    if last - first >= _MOST_LINES or not all(context.is_changed(place.file, one) for one in range(first, last + 1)):
        return None
    new = lines_of(applied(place.file, changes))
    text = "".join(new[first - 1 : len(new) - (len(old) - last)])
    return first, last, "\n".join(text.splitlines())


def _last(line: int, column: int, first: int) -> int:
    """The last line that a stretch touches: not one at whose start it ends."""
    return line - 1 if column == 1 and line > first else line


def _fenced(text: str) -> list[str]:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}suggestion", text, fence, ""]


def _body(report: Report, rest: Sequence[Root]) -> str:
    lines = ["### ddplint", "", literal(summary(report))]
    if rest:
        lines += ["", "Not on lines that this request changes, or more than fits:", ""]
        lines += [f"- {place_text(one.lead)} `{one.lead.code}` {prose(one.lead.message)}" for one in rest[:_MOST]]
        lines += [f"- and {count(len(rest) - _MOST, 'further root cause')}"] if len(rest) > _MOST else []
    lines += ["", *(f"- {literal(str(one))}" for one in report.problems)] if report.problems else []
    return "\n".join(lines) + "\n"
