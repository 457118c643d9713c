"""Every rule of the rule book has a fault it finds, what its fix makes of that, and a look-alike it does not find.

``tests/cases/CODE`` holds ``faulty``, with a mark on the line of each finding of that rule, ``alike``, and
``repaired``, the faulty file after ``--fix --unsafe-fixes`` with this rule alone, where the rule has a fix.
``UPDATE_CASES=1`` writes it. They are read and never run; what happens at run time is shown by the
trainers in ``fixtures/``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.engine.inputs import is_launch, opened
from ddplint.fixing.edit.loop import FixReport, fix_files
from ddplint.launch.check import fix_launch_files
from ddplint.rule import Confidence, Finding
from ddplint.rulebook.registry import load_rules
from ddplint.source.file import SourceFile

ROOT = Path(__file__).parent / "cases"
CODES = [rule.code for rule in load_rules().rules]
MARK = re.compile(r"# expect: (DDP\d+)$")
each_code = pytest.mark.parametrize("code", CODES)


def file_of(code: str, role: str, folder: Path) -> SourceFile:
    """The only file of that name, whatever its kind, in a folder of its own: a project that knows nothing else."""
    if any(path.suffix in (".sh", ".yaml") for path in (ROOT / code).iterdir()):
        pytest.importorskip("tree_sitter_bash")
        pytest.importorskip("yaml")
    (path,) = (ROOT / code).glob(f"{role}.*")
    return opened(SourceFile(str(folder / path.name), path.read_bytes()))


def found_in(file: SourceFile, code: str) -> list[Finding]:
    """The findings of one rule, also those it is not sure of."""
    report = Checker(Settings(select=(code,), min_confidence=Confidence.LOW)).run([file])
    assert not report.problems, report.problems
    return report.findings


def fixed(file: SourceFile, code: str) -> FixReport:
    """What fixing does, all fixes of one rule; nothing is written."""
    checker = Checker(Settings(select=(code,), unsafe_fixes=True, min_confidence=Confidence.LOW), live=True)
    checker.run([file])
    if is_launch(file):
        return fix_launch_files([file], checker.again_launch, unsafe=True, write=False)
    return fix_files([file], checker.again, unsafe=True, write=False, announce=checker.replaced)


def marked(file: SourceFile) -> list[tuple[int, str]]:
    found = ((number, MARK.search(line)) for number, line in enumerate(file.text.splitlines(), 1))
    return [(number, match[1]) for number, match in found if match is not None]


@each_code
def test_the_fault_is_found_on_its_line(code: str, tmp_path: Path) -> None:
    file = file_of(code, "faulty", tmp_path)
    assert [(one.place.range.start_line, one.code) for one in found_in(file, code)] == marked(file)
    assert marked(file)


@each_code
def test_the_look_alike_is_not(code: str, tmp_path: Path) -> None:
    assert found_in(file_of(code, "alike", tmp_path), code) == []


@each_code
def test_the_fix_makes_of_it_what_is_written_down(code: str, tmp_path: Path) -> None:
    file = file_of(code, "faulty", tmp_path)
    done = fixed(file, code)
    after = done.files[0].after if done.files else None
    repaired = ROOT / code / f"repaired{Path(file.path).suffix}"
    if os.environ.get("UPDATE_CASES"):
        repaired.unlink(missing_ok=True)
        if after is not None:
            repaired.write_bytes(after.data)
    assert (after.text if after is not None else None) == (repaired.read_text() if repaired.exists() else None)
    if after is not None:
        assert done.fixed
        assert found_in(after, code) == []
        assert not fixed(opened(SourceFile(file.path, after.data)), code).files


def test_there_is_a_case_for_every_rule_and_for_no_other() -> None:
    assert sorted(path.name for path in ROOT.iterdir() if path.is_dir()) == CODES
