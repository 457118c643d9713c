"""A program without a word of other ranks is walked where what it imports speaks to them, over any number of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

COMM = """\
import torch.distributed as dist


def start():
    dist.init_process_group("nccl")


def first():
    return dist.get_rank() == 0


def mean(x):
    dist.all_reduce(x)
    return x
"""
FAR = 4
MAIN = """\
from m{last} import first{last}, mean{last}, start{last}


def main(x):
    start{last}()
    if first{last}():
        mean{last}({given})
    {after}


if __name__ == "__main__":
    main(1)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "comm.py").write_text(COMM)
    for number in range(FAR):
        source, mark = (f"m{number - 1}", str(number - 1)) if number else ("comm", "")
        names = ", ".join(f"{name}{mark}" for name in ("first", "mean", "start"))
        bodies = "".join(
            f"\n\ndef {name}{number}({given}):\n    return {name}{mark}({given})\n"
            for name, given in (("first", ""), ("mean", "x"), ("start", ""))
        )
        (tmp_path / f"m{number}.py").write_text(f"from {source} import {names}\n{bodies}")
    return tmp_path


def found(folder: Path, text: str, *paths: str) -> list[tuple[str, str]]:
    (folder / "main.py").write_text(text)
    report = check(paths, Settings())
    assert report.errors == []
    return [(one.place.file.path, one.code) for one in report.findings if one.code == "DDP101"]


@pytest.mark.parametrize("path", [".", "main.py"])
def test_the_program_is_walked(project: Path, path: str) -> None:
    text = MAIN.format(last=FAR - 1, given="x", after="return x")
    assert found(project, text, path) == [("main.py", "DDP101")]


@pytest.mark.parametrize("path", [".", "main.py"])
def test_its_twin_is_silent(project: Path, path: str) -> None:
    text = MAIN.format(last=FAR - 1, given="x", after="return x").replace("        mean3(x)\n", "        print(x)\n")
    assert found(project, text + f"\n\ndef all_mean(x):\n    return mean{FAR - 1}(x)\n", path) == []


def test_a_file_that_only_imports_it_is_no_program(project: Path) -> None:
    assert found(project, f"from m{FAR - 1} import first{FAR - 1}\n", "main.py") == []
