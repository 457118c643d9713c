"""Places as SARIF locations."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ddplint.findings.model import Place


def location(path: str) -> dict[str, Any]:
    """The artifact of a path: a relative reference, or a ``file:`` URI for an absolute path."""
    plain = PurePath(path)
    return {"uri": plain.as_uri() if plain.is_absolute() else quote(path.removeprefix("./"))}


def region(place: Place, text: str = "", number: int = 0) -> dict[str, Any]:
    """The location of a place with its first line.

    Parameters: ``text``, what is said about it; ``number``, its id within the result (none for 0).
    """
    where = place.range
    record: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": location(place.file.path),
            "region": {
                "startLine": where.start_line,
                "startColumn": where.start_col,
                "endLine": where.end_line,
                "endColumn": where.end_col,
            },
            "contextRegion": {
                "startLine": where.start_line,
                "endLine": where.start_line,
                "snippet": {"text": place.file.lines[where.start_line - 1]},
            },
        }
    }
    if where.end_line > where.start_line:
        del record["physicalLocation"]["contextRegion"]
    if number:
        record["id"] = number
    if text:
        record["message"] = {"text": text}
    return record
