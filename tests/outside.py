"""Runs tests outside of this repository: a check would look through all of its files for callers and launches."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def empty_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but a launch file, of two nodes."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "run.sh").write_text("torchrun --nnodes 2 --nproc-per-node 8 elsewhere.py\n")
    return folder


@pytest.fixture(autouse=True)
def outside(empty_project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run in that folder."""
    monkeypatch.chdir(empty_project)
