"""Places as records: what every location looks like in the JSON format."""

from __future__ import annotations

from typing import Any

from ddplint.findings.model import Place


def place_record(place: Place) -> dict[str, Any]:
    """``path``, and the range: lines and columns from 1, ``end_column`` the first one after it."""
    where = place.range
    cell = place.file.cell_of(where.start_line)
    return {
        "path": place.file.path,
        "line": where.start_line,
        "column": where.start_col,
        "end_line": where.end_line,
        "end_column": where.end_col,
        **({} if cell is None else {"cell": cell[0], "cell_line": cell[1]}),
    }
