"""A finding as a picture: a lane for every rank, time downwards, boxes for what they do, red where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ddplint.report.full import bare_remark, group_name
from ddplint.rule import Finding, Note, RankAction

__all__ = ["described", "picture"]

_LANE = 170
"""Width of a lane in pixels; boxes leave a margin of ``_GAP`` on both sides."""
_ROW = 46
_GAP = 7
_TOP = 34
_CHARACTERS = 21
"""Characters that fit into a lane."""


@dataclass(frozen=True)
class _Row:
    """What happens at one moment: the same for all lanes (``everyone``), or one text for each rank."""

    texts: dict[int, tuple[str, str]]
    kind: str
    everyone: str = ""
    line: str = ""


def picture(finding: Finding, number: int) -> str:
    """The picture as SVG, or nothing for a finding that says nothing about ranks.

    Parameters: ``number``, which makes its ids unique in the page.
    """
    ranks = sorted({rank for action in finding.actions for rank in action.ranks})
    if not ranks:
        return ""
    rows = list(_rows(finding))
    width, height = _LANE * len(ranks), _TOP + _ROW * len(rows) + 14
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg class="lanes" role="img" aria-labelledby="t{number} d{number}" {size}>',
        f'<title id="t{number}">What each rank does at {finding.code}</title>',
        f'<desc id="d{number}">{escape(described(finding))}</desc>',
        *(_lane(column, rank, _TOP + _ROW * (len(rows) - 1)) for column, rank in enumerate(ranks)),
    ]
    for place, row in enumerate(rows):
        parts += _row(row, ranks, _TOP + _ROW * place, width)
    return "\n".join([*parts, "</svg>"])


def described(finding: Finding) -> str:
    """The picture in words, for those who do not see it."""
    told = [f"{row.everyone} {row.line}".strip() for row in _rows(finding) if row.everyone]
    told += [f"{group_name(one.ranks)}: {_said(one)}" for one in finding.actions]
    return ". ".join(part.rstrip(".") for part in told) + "."


def _rows(finding: Finding) -> Iterator[_Row]:
    for role in ("origin", "guard"):
        for note in finding.notes:
            if note.role == role:
                yield _Row({}, role, note.text or role, _line(note))
    first = finding.actions[0].ranks
    for note in finding.notes:
        if note.role == "call":
            yield _Row({rank: (note.text, _line(note)) for rank in first}, "call")
    ends = {rank: (one.what, _where(one)) for one in finding.actions for rank in one.ranks}
    yield _Row(ends, "end")


def _line(note: Note) -> str:
    return f"line {note.place.range.start_line}"


def _where(action: RankAction) -> str:
    return "" if action.place is None else f"line {action.place.range.start_line}"


def _said(action: RankAction) -> str:
    remark = f", {bare_remark(action.remark)}" if action.remark else ""
    return f"{action.what} {_where(action)}".rstrip() + remark


def _lane(column: int, rank: int, end: int) -> str:
    """The head of a lane and the line of its time, which ends in its last box."""
    middle = _LANE * column + _LANE // 2
    head = f'<text class="head" x="{middle}" y="20">rank {rank}</text>'
    return head + f'<line class="time" x1="{middle}" y1="{_TOP}" x2="{middle}" y2="{end + 4}"/>'


def _row(row: _Row, ranks: Sequence[int], top: int, width: int) -> Iterator[str]:
    if row.everyone:
        yield _box(row.kind, _GAP, top, width - 2 * _GAP, row.everyone, row.line)
        return
    parted = row.kind == "end" and len({text for text, _ in row.texts.values()}) > 1
    for column, rank in enumerate(ranks):
        if rank in row.texts:
            text, line = row.texts[rank]
            kind = "end parted" if parted else row.kind
            yield _box(kind, _LANE * column + _GAP, top, _LANE - 2 * _GAP, text, line)
    if parted:
        y = top - 5
        yield f'<line class="parted" x1="0" y1="{y}" x2="{width}" y2="{y}"/>'


def _box(kind: str, left: int, top: int, width: int, text: str, line: str) -> str:
    room = max(width * _CHARACTERS // (_LANE - 2 * _GAP), 8)
    shown = text if len(text) <= room else text[: room - 1] + "…"
    middle = left + width // 2
    whole = f"<title>{escape(f'{text}, {line}' if line else text)}</title>"
    lines = f'<text x="{middle}" y="{top + 16}">{escape(shown)}</text>'
    lines += f'<text class="line" x="{middle}" y="{top + 30}">{escape(line)}</text>' if line else ""
    return f'<g class="{kind}">{whole}<rect x="{left}" y="{top}" width="{width}" height="36" rx="5"/>{lines}</g>'
