"""A finding as a picture: a lane for every group of ranks, time downwards, red where ranks wait for others.

It is a table, so that it is read out in order and its texts wrap: nothing is drawn that is not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.analysis.domain.outcome import Outcome
from ddplint.findings.model import Finding, Note, Place, RankAction
from ddplint.report import wording
from ddplint.report.page.snippets import plain
from ddplint.report.wording import bare_remark, line_text

_MOST_CODE = 90
_IDLE = '<td class="idle"></td>'
_LEGEND = {
    "waits": "waits for ranks that do not come",
    "differs": "is in another operation than the others: waits, or gets an error or garbage",
    "meets": "meets an operation of the same kind, one step out of line, and goes on",
    "enters": "does this next",
    "works": "is busy",
    "ends": "has nothing more to do",
    "apart": "is not among those that are compared",
}


@dataclass(frozen=True)
class _Box:
    """What happens at one place: ``kind`` is a class of the style sheet."""

    kind: str
    text: str
    place: Place | None = None
    remark: str = ""
    visit: str = ""


def picture(finding: Finding) -> str:
    """The lanes as a table, or nothing for a finding that says nothing about ranks."""
    if not finding.actions:
        return ""
    states = [_state(finding.outcome, action) for action in finding.actions]
    alone = any(action.place is None for action in finding.ends)
    ends = [_state(Outcome.WAITS if alone else Outcome.MISMATCHED, action) for action in finding.ends]
    heads = "".join(f'<th scope="col">{_chips(action.ranks)}</th>' for action in finding.actions)
    wide = len(finding.actions)
    rows = [f'<tr class="shared"><td colspan="{wide}">{_drawn(box)}</td></tr>' for box in _shared(finding)]
    rows.append(f'<tr class="apart"><td colspan="{wide}"><span>ranks diverge</span></td></tr>')
    rows += [f"<tr>{_only_first(box, wide)}</tr>" for box in _way(finding)]
    rows.append(_row(finding.actions, states, wide))
    if finding.ends:
        rows.append(f'<tr class="apart"><td colspan="{wide}"><span>in the end</span></td></tr>')
        rows.append(_row(finding.ends, ends, wide))
    caption = "<caption>What each rank does, from top to bottom</caption>"
    table = f'<table class="lanes">{caption}<tr>{heads}</tr>{"".join(rows)}</table>'
    return f"{table}{_legend([*states, *ends])}"


def _row(actions: Sequence[RankAction], states: Sequence[str], wide: int) -> str:
    cells = "".join(f"<td>{_drawn(_end(action, state))}</td>" for action, state in zip(actions, states))
    return f'<tr class="ends">{cells}{_IDLE * (wide - len(actions))}</tr>'


def described(finding: Finding) -> str:
    """The picture in one sentence for each thing that happens."""
    told = [f"{box.text} ({_where(box.place)})" for box in (*_shared(finding), *_way(finding))]
    told += wording.told(finding, lambda place: f" ({_where(place)})")
    return ". ".join(told) + "."


def _shared(finding: Finding) -> Iterator[_Box]:
    """What all ranks pass: where the difference comes from, and the condition that parts them."""
    for note in finding.notes:
        if note.role == "origin":
            yield _Box("origin", note.text or "differs between ranks", note.place)
    guards = [note for note in finding.notes if note.role == "guard"]
    for note in guards:
        yield _Box("guard", note.text, note.place)
    if not guards:
        yield _Box("guard", "each rank decides or does this by itself", finding.place)


def _way(finding: Finding) -> Iterator[_Box]:
    """The calls of the first group on its way to the operation, in the order in which they are made."""
    calls = [note for note in finding.notes if note.role == "call"]
    guarded = any(note.role == "guard" for note in finding.notes)
    if guarded and (calls or finding.place != finding.actions[0].place):
        yield _Box("call", "enters", finding.place)
    for note in calls[:-1] if _is_end(calls, finding) else calls:
        yield _Box("call", f"in {note.text}", note.place)


def _is_end(calls: Sequence[Note], finding: Finding) -> bool:
    """Whether the last call is the operation itself, which has a box of its own."""
    last = finding.actions[0].place
    return bool(calls) and last is not None and calls[-1].place.range == last.range


def _state(outcome: Outcome | None, action: RankAction) -> str:
    if action.apart:
        return "apart"
    if action.place is None:
        return "ends"
    if outcome is Outcome.MISMATCHED:
        return "differs"
    if action.waits:
        return "waits"
    return "meets" if outcome is Outcome.SHIFTED else "works" if outcome is Outcome.LATE else "enters"


def _end(action: RankAction, state: str) -> _Box:
    return _Box(state, action.what, action.place, bare_remark(action.remark), action.visit)


def _only_first(box: _Box, wide: int) -> str:
    return f"<td>{_drawn(box)}</td>" + _IDLE * (wide - 1)


def _drawn(box: _Box) -> str:
    code = f"<code>{plain(_code(box.place))}</code>" if box.place is not None and box.kind not in _LEGEND else ""
    visit = f", {box.visit}" if box.visit else ""
    where = f'<span class="at">{plain(_where(box.place))}{plain(visit)}</span>' if box.place is not None else ""
    remark = f'<span class="remark">{plain(box.remark)}</span>' if box.remark else ""
    return f'<div class="box {box.kind}"><b>{plain(box.text)}</b>{code}{remark}{where}</div>'


def _code(place: Place) -> str:
    where = place.range
    line = place.file.lines[where.start_line - 1]
    end = where.end_col - 1 if where.end_line == where.start_line else len(line)
    text = line[where.start_col - 1 : end].strip()
    cut = len(text) > _MOST_CODE or where.end_line > where.start_line
    return text[:_MOST_CODE].rstrip() + " …" * cut


def _where(place: Place | None) -> str:
    return "" if place is None else f"{place.file.path}:{line_text(place)}"


def _chips(ranks: Sequence[int]) -> str:
    return "".join(f'<span class="rank">rank {rank}</span> ' for rank in ranks)


def _legend(states: Sequence[str]) -> str:
    rows = [f'<li><span class="key {name}"></span>{text}</li>' for name, text in _LEGEND.items() if name in states]
    return f'<ul class="legend" aria-label="Legend">{"".join(rows)}</ul>'
