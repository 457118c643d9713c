"""The table at the end of a job as a page, in the look of all the other pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from ddplint.job.histories.report import shortened
from ddplint.job.witness.output.table import conclusions, most_waited
from ddplint.report.page.sheet import sheet

_HEADS = ("Operation", "Line", "Group", "Calls", "Longest", "Waited", "by rank")
_NUMBERS = 3
"""The columns from here on are numbers."""
_OPTIONAL = frozenset({2, 6})


def render_page(found: Mapping[str, Any]) -> str:
    """What each rank waited, what is concluded from it, and a row for each operation and line."""
    parts = [
        "<header><h1>ddplint witness</h1></header>",
        '<main id="findings" tabindex="-1">',
        *_lanes(found["waited"]),
    ]
    for line in map(str.strip, conclusions(found)):
        parts.append(f"<p>{escape(line[:1].upper() + line[1:])}</p>")
    return sheet("ddplint witness", "\n".join([*parts, *_table(found["rows"]), "</main>"]))


def _lanes(waited: Mapping[str, float]) -> Iterator[str]:
    most = max([*waited.values(), 1e-9])
    yield "<h2>Seconds that each rank waited for others</h2>"
    for rank, seconds in waited.items():
        bar = f'<svg class="bar" aria-hidden="true"><rect width="{100 * seconds / most:.1f}%" height="100%"/></svg>'
        yield f'<div class="lane"><b>rank {escape(rank)}</b><span class="waited">{bar}{seconds:.2f} s</span></div>'


def _table(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    heads = "".join(f'<th scope="col"{_class(number)}>{name}</th>' for number, name in enumerate(_HEADS))
    yield f'<h2>Operations, in seconds</h2><div class="wide" tabindex="0"><table class="dense"><tr>{heads}</tr>'
    yield from ("<tr>" + "".join(_cells(row)) + "</tr>" for row in rows)
    yield "</table></div>"


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    rank, seconds = most_waited(row["waited"])
    texts = (row["op"], shortened(row["at"]), row["group"], str(row["count"]), f"{row['longest']:.3f}")
    for number, text in enumerate((*texts, f"{seconds:.3f}", rank)):
        yield f"<td{_class(number)}>{escape(text)}</td>"


def _class(number: int) -> str:
    """Numbers stand to the right; what a narrow screen can do without is left out there."""
    names = ["count"] * (number >= _NUMBERS) + ["optional"] * (number in _OPTIONAL)
    return f' class="{" ".join(names)}"' if names else ""
