"""Files that mention nothing relevant: a read and a search."""

from __future__ import annotations

import sysconfig
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import libcst as cst

from benchmarks.timing import cpu
from benchmarks.trees import Tree, sample
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.knowledge import load_knowledge
from ddplint.project.discovery import relevant
from ddplint.source.file import SourceFile

__all__ = ["HEADINGS", "measure"]

HEADINGS = ("files", "lines", "read", "read + search", "check", "check ÷ (read + search)", "check ÷ parse")
_ROUNDS = 2


def measure(count: int) -> tuple[str, ...]:
    """One row of the table, on modules of the standard library, in milliseconds per thousand lines."""
    library = Tree("standard library", tuple(sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))))
    files = sample(library, count, mentions=False)
    paths = [file.path for file in files]
    lines = sum(len(file.lines) for file in files)
    rounds = [_round(paths, files) for _ in range(_ROUNDS)]
    read, search, check, _ = (median(column) for column in zip(*rounds))
    shown = [f"{1e6 * seconds / lines:.2f} ms" for seconds in (read, search, check)]
    against_search = median(row[2] / row[1] for row in rounds)
    against_parse = median(row[2] / row[3] for row in rounds)
    return (str(len(files)), str(lines), *shown, f"{against_search:.2f}", f"{against_parse:.4f}")


def _round(paths: Sequence[str], files: Sequence[SourceFile]) -> tuple[float, float, float, float]:
    words = load_knowledge().prefilter()
    read = cpu(lambda: [Path(path).read_bytes() for path in paths])[0]
    search = cpu(lambda: [relevant(Path(path).read_bytes(), words) for path in paths])[0]
    check, report = cpu(lambda: Checker(Settings()).check(paths))
    if report.walked or report.errors or len(report.files) != len(paths):
        raise RuntimeError("a file that mentions nothing relevant was not just read and searched")
    parse = cpu(lambda: [cst.parse_module(file.text) for file in files])[0]
    return read, search, check, parse
