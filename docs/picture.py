"""The report of one fixture as a terminal shows it, as SVG, light and dark: ``python docs/picture.py`` writes them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "docs" / "pages" / "assets"
FIXTURE = "guarded_eval"
_COLUMNS, _CELL, _LINE, _MARGIN = 112, 7.83, 19, 16
_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")
_LABEL = "A report of ddplint: what each rank does next, and the fix"
_WORDS = re.compile(r"\S+(?: \S+)*")
_EXPECTED = re.compile(r"  # expect: [A-Z0-9, ]+")
_PALETTES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "": "#1f2328", "page": "#ffffff", "edge": "#d0d7de", "1;31": "#cf222e", "1;33": "#9a6700",
        "36": "#0969da", "1;34": "#0969da", "32": "#1a7f37", "2": "#656d76",
    },
    "dark": {
        "": "#e6edf3", "page": "#0d1117", "edge": "#30363d", "1;31": "#ff7b72", "1;33": "#d29922",
        "36": "#79c0ff", "1;34": "#79c0ff", "32": "#56d364", "2": "#8b949e",
    },
}  # fmt: skip

Line = list[tuple[str, str]]
"""Stretches of text with the colour code of each."""


def pictures() -> dict[str, str]:
    """The SVG of each palette, by file name."""
    lines = [line for whole in _coloured(_report()) for line in _wrapped(whole)]
    return {f"report-{name}.svg": _svg(lines, palette) for name, palette in _PALETTES.items()}


def _report() -> str:
    """What ``ddplint check train.py`` prints for the fixture, without the comments that the tests read."""
    from ddplint.cli.main import main

    text = (ROOT / "fixtures" / FIXTURE / "train.py").read_text("utf-8")
    out, here = io.TextIOWrapper(io.BytesIO(), "utf-8"), Path.cwd()
    before = {name: os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR")}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        Path(folder, "train.py").write_text(_EXPECTED.sub("", text), "utf-8")
        os.chdir(folder)
        try:
            main(["check", "--no-cache", "--color", "always", "train.py"])
        finally:
            os.chdir(here)
            for name, value in before.items():
                os.environ.pop(name, None)
                os.environ.update({name: value} if value is not None else {})
    out.flush()
    return "$ ddplint train.py\n" + out.buffer.getvalue().decode().rstrip("\n")  # type: ignore[attr-defined]


def _coloured(text: str) -> Iterator[Line]:
    for whole in text.split("\n"):
        line: Line = []
        colour, start = "", 0
        for match in _ESCAPE.finditer(whole):
            line.append((whole[start : match.start()], colour))
            colour, start = match[1] if match[1] != "0" else "", match.end()
        yield [*line, (whole[start:], colour)]


def _wrapped(line: Line) -> Iterator[Line]:
    """The line as a terminal of that width breaks it."""
    cells = [(char, colour) for text, colour in line for char in text]
    for start in range(0, max(len(cells), 1), _COLUMNS):
        yield _joined(cells[start : start + _COLUMNS])


def _joined(cells: Line) -> Line:
    found: Line = []
    for char, colour in cells:
        if found and found[-1][1] == colour:
            found[-1] = found[-1][0] + char, colour
        else:
            found.append((char, colour))
    return found


def _svg(lines: list[Line], palette: Mapping[str, str]) -> str:
    width, height = round(_COLUMNS * _CELL + 2 * _MARGIN), len(lines) * _LINE + 2 * _MARGIN
    drawn = [_drawn(line, _MARGIN + 14 + number * _LINE, palette) for number, line in enumerate(lines)]
    size = f'width="{width}" height="{height}"'
    box = f'viewBox="0 0 {width} {height}" role="img" aria-label="{_LABEL}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>'
    fill = f'fill="{palette["page"]}" stroke="{palette["edge"]}"'
    page = f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" {fill}/>'
    font = '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">'
    return "\n".join([head, page, font, *filter(None, drawn), "</g>", "</svg>", ""])


def _drawn(line: Line, y: int, palette: Mapping[str, str]) -> str:
    """Each stretch at its own column, so that a font of another width cannot shift the marks."""
    parts, column = [], 0
    for text, colour in line:
        bold = ' font-weight="bold"' if colour.startswith("1") else ""
        fill = palette.get(colour, palette[""])
        for words in _WORDS.finditer(text):
            x, length = _MARGIN + (column + words.start()) * _CELL, len(words[0]) * _CELL
            parts.append(
                f'<text x="{x:.2f}" y="{y}" fill="{fill}"{bold} textLength="{length:.2f}" '
                f'lengthAdjust="spacingAndGlyphs">{escape(words[0])}</text>'
            )
        column += len(text)
    return "".join(parts)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "rules")]
    for name, text in pictures().items():
        (ASSETS / name).write_text(text, "utf-8")
