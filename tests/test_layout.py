"""Packages below ``src`` or ``lib`` are found from scripts beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

HELPER = """\
import torch
import torch.distributed as dist


def store(state, rank):
    {guard}torch.save(state, "last.pt")
"""
SCRIPT = """\
import torch.distributed as dist
from trainer.storing import store

dist.init_process_group("gloo")
store({}, dist.get_rank())
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").write_text(SCRIPT)
    return tmp_path


@pytest.mark.parametrize(("guard", "count"), [("", 1), ("if rank == 0:\n        ", 0)])
@pytest.mark.parametrize("source", ["src", "lib"])
def test_a_script_beside_src_is_walked_into_its_package(project: Path, source: str, guard: str, count: int) -> None:
    package = project / source / "trainer"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "storing.py").write_text(HELPER.format(guard=guard))
    report = check(["scripts", source], Settings(select=("DDP201",)))
    assert [finding.place.file.path for finding in report.findings] == [f"{source}/trainer/storing.py"] * count


def test_the_top_of_a_project_is_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ``__init__.py`` beside ``pyproject.toml`` does not hide the project's modules from each other."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "work" / "inner"
    package.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "work", package):
        (folder / "__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text("")
    (package / "ranks.py").write_text(
        "import torch.distributed as dist\n\n\ndef first():\n    return dist.get_rank() == 0\n"
    )
    (tmp_path / "work" / "train.py").write_text(
        "import torch.distributed as dist\nfrom work.inner.ranks import first\n\n"
        'dist.init_process_group("gloo")\nif first():\n    dist.barrier()\n'
    )
    found = check(["work/train.py"], Settings(select=("DDP101",))).findings
    assert [finding.code for finding in found] == ["DDP101"]
