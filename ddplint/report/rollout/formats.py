"""The page over all repositories: HTML that loads nothing, or Markdown for a comment or a wiki."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.report.markdown_text import literal
from ddplint.report.page.sheet import sheet
from ddplint.report.page.snippets import plain
from ddplint.report.rollout.progress import Repository
from ddplint.report.rollout.tables import Table, tables, totals

_BADGES = ("error", "warning", "advice")


def render_html(found: Sequence[Repository]) -> str:
    """The page as HTML."""
    parts = ["<header><h1>Distributed training, all repositories</h1></header>", _tiles(found)]
    parts += ['<main id="findings" tabindex="-1">', *map(_drawn, tables(found)), "</main>"]
    return sheet("ddplint: all repositories", "\n".join(parts))


def _tiles(found: Sequence[Repository]) -> str:
    drawn = "".join(
        f'<li class="{kind if number else "none"}"><b>{number}</b><span>{text}</span></li>'
        for kind, number, text in totals(found)
    )
    return f'<ul class="tiles" aria-label="Summary">{drawn}</ul>'


def _drawn(table: Table) -> str:
    heads = "".join(
        f'<th scope="col"{_kind(table, number)}>{plain(name)}</th>' for number, name in enumerate(table.columns)
    )
    rows = "".join(f"<tr>{''.join(_cells(table, row))}</tr>" for row in table.rows)
    note = f"<p>{plain(table.note)}</p>" if table.note else ""
    return f'<h2>{table.title}</h2><div class="wide"><table class="dense"><tr>{heads}</tr>{rows}</table></div>{note}'


def _cells(table: Table, row: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(row):
        badge = text.partition(",")[0]
        shown = f'<span class="badge {badge}">{plain(text)}</span>' if badge in _BADGES else plain(text)
        yield f"<td{_kind(table, number)}>{shown}</td>"


def _kind(table: Table, number: int) -> str:
    return ' class="count"' if number in table.numbers else ""


def render_markdown(found: Sequence[Repository]) -> str:
    """The page as Markdown."""
    lines = ["## ddplint: all repositories", ""]
    lines += [", ".join(f"{number} {text}" for _, number, text in totals(found) if number or text.startswith("open"))]
    for table in tables(found):
        lines += ["", f"### {table.title}", "", _row(table.columns)]
        lines += [_row(["---:" if number in table.numbers else "---" for number in range(len(table.columns))])]
        lines += [_row([literal(cell) for cell in row]) for row in table.rows]
        lines += ["", table.note] if table.note else []
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
