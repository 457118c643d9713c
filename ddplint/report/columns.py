"""The columns under a finding: what each group of ranks does next, where, and what becomes of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ddplint.findings.model import Finding, RankAction
from ddplint.report.terminal import Style, width_of
from ddplint.report.wording import bare_remark, group_name, line_text, visited
from ddplint.source.file import SourceFile

MARGIN = 6
_GAP = " " * 5


def columns(finding: Finding, style: Style) -> Iterator[str]:
    """A column for each group of ranks: what it does next, and under that what it does in the end."""
    home = finding.place.file
    apart = [action for action in finding.actions if action.apart]
    rows = [[one for one in finding.actions if not one.apart], [*finding.ends]]
    heads = [group_name(action.ranks) for action in rows[0]]
    cells = [[_cell(action, home, style) for action in row] for row in rows if row]
    sizes = [max(map(width_of, (head, *column))) for head, *column in zip(heads, *cells)]
    indent = " " * (MARGIN + 1)
    yield indent + style.paint(_GAP.join(_filled(heads, sizes)).rstrip(), "bold")
    for actions, texts in zip(rows, cells):
        yield from _row(actions, indent + _GAP.join(_filled(texts, sizes)).rstrip(), style)
    for action in apart:
        yield f"{indent}{style.paint(group_name(action.ranks), 'bold')}: {style.sayable(action.what)}"


def _row(actions: Sequence[RankAction], line: str, style: Style) -> Iterator[str]:
    """The cells, the last remark beside them where there is room, and the others below."""
    indent = " " * (MARGIN + 1)
    remark = style.sayable(bare_remark(actions[-1].remark))
    beside = f"{line}   {style.left} {remark}"
    if remark and width_of(beside) <= style.width:
        yield beside
    else:
        yield line
        if remark:
            head = f"{indent}{style.left} "
            yield from textwrap.wrap(remark, style.width, initial_indent=head, subsequent_indent=indent + "  ")
    for action in actions[:-1]:
        if action.remark:
            yield f"{indent}{group_name(action.ranks)}: {style.sayable(bare_remark(action.remark))}"


def _filled(texts: Sequence[str], sizes: Sequence[int]) -> list[str]:
    return [text + " " * (size - width_of(text)) for text, size in zip(texts, sizes)]


def _cell(action: RankAction, home: SourceFile, style: Style) -> str:
    what = style.sayable(action.what)
    if action.place is None:
        return what
    line = line_text(action.place)
    where = f":{line}" if action.place.file is home else f"{action.place.file.path}:{line}"
    return f"{what}  {where}{visited(action)}"
