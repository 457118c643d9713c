"""How groups of ranks, places in notebooks and remarks are written in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ddplint.findings.model import Finding, Place, RankAction
    from ddplint.source.file import SourceFile


def line_text(place: Place) -> str:
    """The line of a place, in a notebook ``cell 3:2``."""
    return numbered(place.file, place.range.start_line)


def numbered(file: SourceFile, line: int) -> str:
    """A line of a file as people count it: in a notebook ``cell 3:2``."""
    cell = file.cell_of(line)
    return str(line) if cell is None else f"cell {cell[0]}:{cell[1]}"


def spot(place: Place) -> str:
    """``train.py:12:5``, in a notebook ``trial.ipynb:cell 3:2:5``."""
    return f"{place.file.path}:{line_text(place)}:{place.range.start_col}"


def cell_text(place: Place) -> str:
    """Where in a notebook a place is; nothing for other files."""
    cell = place.file.cell_of(place.range.start_line)
    return "" if cell is None else f" (cell {cell[0]}, line {cell[1]})"


def bare_remark(remark: str) -> str:
    """A remark without an arrow of its own."""
    return remark.removeprefix("←").lstrip()


def group_name(ranks: Sequence[int]) -> str:
    """``rank 0``, ``ranks 1, 2, 3``."""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(map(str, ranks))}"


def told(finding: Finding, where: Callable[[Place], str] = lambda place: "") -> Iterator[str]:
    """A text for each group of ranks, then what becomes of them, for formats without columns.

    Parameters: ``where``, how a place is written behind what is done there.
    """
    for action in finding.actions:
        yield _done(action, where)
    yield from (bare_remark(action.remark) for action in finding.actions if action.remark)
    if finding.ends:
        yield from (f"in the end, {_done(action, where)}" for action in finding.ends)
        yield from (bare_remark(action.remark) for action in finding.ends if action.remark)


def visited(action: RankAction) -> str:
    """Which visit it is, to be written behind a place."""
    return f", {action.visit}" if action.visit else ""


def _done(action: RankAction, where: Callable[[Place], str]) -> str:
    place = "" if action.place is None else where(action.place)
    return f"{group_name(action.ranks)}: {action.what}{place}{visited(action)}"
