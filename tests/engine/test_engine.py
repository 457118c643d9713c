"""What the engine offers to other parts: one file, rewritten files checked again, files that depend on others."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.source.file import SourceFile
from tests.stub import RELEVANT, install


@pytest.fixture(autouse=True)
def _stub(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def source(text: str, name: str = "a.py") -> SourceFile:
    return SourceFile(name, (RELEVANT + text).encode())


def test_one_file_can_be_checked_without_the_disk() -> None:
    report = Checker(Settings()).run([source("fault()\n")])
    assert [finding.code for finding in report.findings] == ["DDP101"]
    report = Checker(Settings()).run([source("def f(:\n")])
    assert [problem.message[:12] for problem in report.errors] == ["syntax error"]


def test_a_rewritten_file_is_checked_in_its_new_state() -> None:
    first, second = source("fault()\n"), source("pass\n")
    checker = Checker(Settings())
    checker.run([first])
    assert len(checker.again(first)) == 1
    checker.replaced(second)
    assert checker.again(second) == []
    checker.replaced(first)
    assert len(checker.again(first)) == 1
    assert len(checker.report.findings) == 1


@pytest.mark.parametrize(
    ("text", "depends"),
    [
        ("import helper\n", True),
        ("    from pkg import helper as h\n", True),
        ("from pkg.helper import sync\n", True),
        ("from .helper import (\n    sync,\n)\n", True),
        ("from . import (\n    other,\n    helper,\n)\n", True),
        ("import a, helper\n", True),
        ("helper()\n", False),
        ("import helpers\nhelper = 1\n", False),
        ("from a import (b)\nhelper()\n", False),
        ("# import helper\n", False),
    ],
)
def test_files_depend_on_the_modules_they_import(text: str, depends: bool, tmp_path: Path) -> None:
    helper = source("", str(tmp_path / "pkg" / "helper.py"))
    other = source(text, str(tmp_path / "train.py"))
    checker = Checker(Settings())
    checker._files = {file.real_path: file for file in (helper, other)}
    assert checker.dependents(helper) == ([other] if depends else [])


def test_a_package_is_imported_by_the_name_of_its_folder(tmp_path: Path) -> None:
    package = source("", str(tmp_path / "pkg" / "__init__.py"))
    other = source("from pkg import sync\n", str(tmp_path / "train.py"))
    checker = Checker(Settings())
    checker._files = {file.real_path: file for file in (package, other)}
    assert checker.dependents(package) == [other]
