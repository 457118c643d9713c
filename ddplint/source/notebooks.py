"""Jupyter notebooks as Python text: every code line stands on the line that it has in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ddplint.source.decoding import DecodingError

_SOURCE = re.compile(r'^\s*"source"\s*:\s*\[\s*$')
_LINE_MAGIC = re.compile(r"^(\s*)(?:[%!].*|\?{1,2}\w.*|[\w.]+\?{1,2}\s*)$")
_ASSIGNED = re.compile(r"^(\s*[\w.\[\], ]+=\s*)[%!].*$")
_KEEPING = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics that run the rest of the cell as Python."""


@dataclass(frozen=True)
class Notebook:
    """The text of all code cells, and for each line of it that is code the cell and the line within (both from 1)."""

    text: str
    places: dict[int, tuple[int, int]]


def read_notebook(data: bytes) -> Notebook:
    """The code of a notebook.

    Where the file has one line for each line of code, as Jupyter writes it, the lines of the text are those of the
    file; otherwise they are counted through the code cells. Magics become ``pass``, so that everything else keeps its
    place; cells in other languages are left out. Raises :class:`DecodingError` for what is no notebook.
    """
    try:
        raw = data.decode("utf-8-sig")
        book = json.loads(raw)
        if _language(book) not in ("", "python", "ipython"):
            return Notebook("", {})
        cells = [(str(cell["cell_type"]), _lines_of(cell["source"])) for cell in book["cells"]]
    except UnicodeDecodeError:
        raise DecodingError("not a notebook: it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise DecodingError(f"not a notebook: {error.msg}", error.lineno) from None
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise DecodingError("not a notebook of format 4: there are no cells in it") from None
    starts = _starts(raw.split("\n"), [lines for _, lines in cells]) or _counted(cells)
    return _laid_out(cells, starts)


def _language(book: dict[str, Any]) -> str:
    about = book.get("metadata", {})
    named = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language") or ""
    return str(named).lower()


def _lines_of(source: str | list[str]) -> list[str]:
    text = source if isinstance(source, str) else "".join(source)
    return text.removesuffix("\n").split("\n") if text else []


def _starts(raw: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int] | None:
    """The line (from 1) of the first code line of each cell, or ``None`` where a line of code has none of its own."""
    found: list[int] = []
    at = 0
    for lines in cells:
        start = _find(raw, at, lines)
        if lines and start is None:
            return None
        found.append((start or at) + 1)
        at = (start or at) + len(lines)
    return found


def _find(raw: Sequence[str], at: int, lines: Sequence[str]) -> int | None:
    """Where the strings of a cell begin, at or after the line ``at`` (from 0)."""
    for number in range(at, len(raw)):
        first = number + 1
        if lines and _SOURCE.match(raw[number]) and first + len(lines) <= len(raw):
            strings = raw[first : first + len(lines)]
            if all(_says(string, line) for string, line in zip(strings, lines)):
                return first
    return None


def _says(string: str, line: str) -> bool:
    try:
        said = json.loads(string.strip().removesuffix(","))
    except ValueError:
        return False
    return isinstance(said, str) and said.removesuffix("\n") == line


def _counted(cells: Sequence[tuple[str, list[str]]]) -> list[int]:
    starts, line = [], 1
    for kind, lines in cells:
        starts.append(line)
        line += len(lines) + 1 if kind == "code" else 0
    return starts


def _laid_out(cells: Sequence[tuple[str, list[str]]], starts: Sequence[int]) -> Notebook:
    text: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for number, ((kind, lines), start) in enumerate(zip(cells, starts), 1):
        if kind != "code":
            continue
        text += [""] * (start - 1 - len(text))
        for offset, line in enumerate(_python(lines)):
            text.append(line)
            places[start + offset] = (number, offset + 1)
    return Notebook("\n".join([*text, ""]), places)


def _python(lines: Sequence[str]) -> list[str]:
    """The lines of a cell without what only IPython understands."""
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and first.split()[0] not in _KEEPING:
        return ["" for _ in lines]
    return [_plain(line.rstrip("\r")) for line in lines]


def _plain(line: str) -> str:
    magic = _LINE_MAGIC.match(line)
    if magic is not None:
        return f"{magic[1]}pass"
    assigned = _ASSIGNED.match(line)
    return line if assigned is None else f"{assigned[1]}None"
