"""Tests of programs that belong to no project: who else calls them, and how they are started, nobody says."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a run on two nodes. In this repository every check would look through all of its files first."""
    folder = tmp_path_factory.mktemp("nowhere")
    (folder / "run.sh").write_text("torchrun --nnodes 2 --nproc-per-node 8 elsewhere.py\n")
    return folder


@pytest.fixture(autouse=True)
def apart(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run in that folder."""
    monkeypatch.chdir(nowhere)
