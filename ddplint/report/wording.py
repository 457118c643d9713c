"""How groups of ranks, places in notebooks and remarks are written in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ddplint.findings.model import Place


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
