"""Small programs: the faulty ones are reported at the marked lines, their look-alikes are not reported at all.

``programs/ABILITY/NAME`` is one program: a file, or a folder of files that is checked whole. A line that must be
reported ends in ``# expect: CODE``; a program without a mark is a look-alike, in which no error and no warning may
stand. They are read and never run.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check
from ddplint.rule import Severity

ROOT = Path(__file__).parent / "programs"
MARK = re.compile(r"# expect: (DDP\d+)$", re.MULTILINE)
PROGRAMS = sorted(path for ability in ROOT.iterdir() for path in ability.iterdir() if path.name != "__pycache__")


def files_of(program: Path) -> list[Path]:
    return sorted(program.rglob("*.py")) if program.is_dir() else [program]


def marked(program: Path) -> set[tuple[str, int, str]]:
    return {
        (path.name, number, match[1])
        for path in files_of(program)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := MARK.search(line))
    }


@pytest.mark.parametrize("program", PROGRAMS, ids=[str(path.relative_to(ROOT)) for path in PROGRAMS])
def test_what_is_marked_is_reported_and_nothing_else(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program if program.is_dir() else program.parent)
    report = check(["." if program.is_dir() else program.name], Settings())
    assert not report.problems, report.problems
    found = {
        (Path(one.place.file.path).name, one.place.file.range_of(one.place.node).start_line, one.code)
        for one in report.findings
        if one.severity is not Severity.ADVICE
    }
    assert found == marked(program)
