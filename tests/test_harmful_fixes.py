"""What tempting rewrites do under torchrun, and that ddplint's rewrite of the same program does not."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main

HARMFUL = Path(__file__).parent.parent / "fixtures" / "harmful"
NAMES = sorted(folder.name for folder in HARMFUL.iterdir() if folder.is_dir())
LINE = re.compile(r"FINISHED rank=\d|WRITES")
BOTH = ["FINISHED rank=0", "FINISHED rank=1"]

pytestmark = pytest.mark.torchrun


def launched(script: Path, out: Path, ranks: int = 2) -> list[str]:
    """The lines that a program prints, sorted; ``ranks`` 0 starts it without torchrun."""
    out.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    launcher = ["-m", "torch.distributed.run", f"--nproc-per-node={ranks}", f"--master-port={port}"] if ranks else []
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(script.parent), "TRAINER": script.stem}
    command = [sys.executable, *launcher, str(_user_of(script)), str(out)]
    done = subprocess.run(  # what is left of a hang ends with its session, not with that of the tests
        command, capture_output=True, text=True, check=False, env=environment, timeout=120, start_new_session=True
    )
    return sorted(LINE.findall(done.stdout))  # two ranks share the pipe: a line may end up inside another's


def _user_of(script: Path) -> Path:
    user = script.parent / "use.py"
    return user if user.exists() else script


def finished(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("FINISHED")]


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a fixture, in which ``fixed.py`` is what ddplint makes of ``train.py``."""
    copy = tmp_path / request.param
    shutil.copytree(HARMFUL / request.param, copy)
    fixed = tmp_path / "fixed" / "train.py"
    fixed.parent.mkdir()
    (fixed.parent / "pyproject.toml").write_text("")
    shutil.copy(copy / "train.py", fixed)
    main(["--fix", "--unsafe-fixes", "--select", "DDP2", "--no-cache", str(fixed)])
    shutil.move(fixed, copy / "fixed.py")
    return copy


def fixture(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("folder", [name], indirect=True)


def test_every_folder_is_run() -> None:
    here = Path(__file__).read_text("utf-8")
    assert all(f'fixture("{name}")' in here for name in NAMES)


@fixture("rank_zero_helper")
def test_a_barrier_in_a_helper_that_rank_0_calls_alone(folder: Path) -> None:
    assert finished(launched(folder / "bad.py", folder / "1")) != BOTH
    assert finished(launched(folder / "fixed.py", folder / "2")) == BOTH
    assert sorted(path.name for path in (folder / "2").iterdir()) == ["best.pt", "last.pt"]
    assert "get_rank() == 0" in (folder / "fixed.py").read_text().partition("def main")[0]


@fixture("rank_minus_one")
def test_a_rank_that_is_minus_one_in_one_process(folder: Path) -> None:
    launched(folder / "bad.py", folder / "1", ranks=0)
    assert not list((folder / "1").iterdir())
    launched(folder / "fixed.py", folder / "2", ranks=0)
    assert [path.name for path in (folder / "2").iterdir()] == ["last.pt"]
    assert finished(launched(folder / "fixed.py", folder / "3")) == BOTH
    assert "if RANK in (-1, 0):" in (folder / "fixed.py").read_text()


@fixture("appended_lines")
def test_lines_of_every_rank(folder: Path) -> None:
    launched(folder / "bad.py", folder / "1")
    assert len((folder / "1" / "log.txt").read_text().splitlines()) == 3
    launched(folder / "fixed.py", folder / "2")
    assert len((folder / "2" / "log.txt").read_text().splitlines()) == 6


@fixture("claimed_folder")
def test_a_folder_that_claims_the_work(folder: Path) -> None:
    launched(folder / "bad.py", folder / "1")
    assert len(list((folder / "1").glob("prepared_by_*"))) == 2
    launched(folder / "fixed.py", folder / "2")
    assert len(list((folder / "2").glob("prepared_by_*"))) == 1


@fixture("before_the_group")
def test_a_question_before_there_is_anybody_to_ask(folder: Path) -> None:
    assert launched(folder / "bad.py", folder / "1").count("WRITES") == 2
    assert (folder / "fixed.py").read_text() == (folder / "train.py").read_text()


@fixture("exported_method")
def test_a_method_for_users(folder: Path) -> None:
    assert finished(launched(folder / "bad.py", folder / "1")) != BOTH
    assert finished(launched(folder / "fixed.py", folder / "2")) == BOTH
