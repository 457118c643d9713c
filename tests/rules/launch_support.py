"""Launch files in memory, what one rule finds in them, and what its fixes make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.launch.check import fix_launch_files
from ddplint.launch.text import LaunchSource

__all__ = ["fixed_launch", "in_launch"]


def in_launch(folder: Path, name: str, text: str, code: str) -> list[str]:
    """The lines of a launch file (with their numbers before them) where a rule finds something."""
    pytest.importorskip("tree_sitter_bash")
    pytest.importorskip("yaml")
    file = LaunchSource(str(folder / name), text.encode())
    report = Checker(Settings(select=(code,))).run([file])
    assert not report.problems, report.problems
    return [f"{(line := one.place.range.start_line)}: {file.lines[line - 1].strip()}" for one in report.findings]


def fixed_launch(folder: Path, name: str, text: str, code: str, *, unsafe: bool = False) -> str:
    """A launch file after ``--fix``. A second run must change nothing."""
    pytest.importorskip("tree_sitter_bash")
    pytest.importorskip("yaml")
    checker = Checker(Settings(select=(code,)))
    file = LaunchSource(str(folder / name), text.encode())
    for _ in range(2):
        done = fix_launch_files([file], checker.again_launch, unsafe=unsafe, write=False)
        after = done.files[0].after if done.files else file
        assert isinstance(after, LaunchSource)
        assert after is file or _ == 0
        file = after
    return file.text
