"""Pipes, sockets and devices that lie in a project under the name of a file are never waited for."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.util.regular import read_regular

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
TRAINER = """\
import torch.distributed as dist
import helper

if dist.get_rank() == 0:
    helper.save()
    dist.barrier()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(TRAINER)
    (tmp_path / "helper.py").write_text("def save():\n    open('a', 'w')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(*words: str) -> subprocess.CompletedProcess[str]:
    """A run of its own: what waits for ever fails here, and does not hang the tests."""
    command = [sys.executable, "-m", "ddplint", "--no-cache", *words]
    folders = os.pathsep.join(str(Path(__file__).parent.parent / name) for name in (".", "rules"))
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": folders}, check=False
    )


_READS = re.compile(r"\.read_(?:bytes|text)\(|(?<![.\w])open\(")
_OF_ITS_OWN = {
    "knowledge/tables.py",
    "report/page/sheet.py",
    "cli/replay.py",
    "source/tree_cache.py",
    "job/doctor/host.py",
}
"""What reads the package's own files, what ddplint keeps itself, or what the system gives."""
_STREAMS = {"job/triage/reading/inputs.py", "job/witness/running.py"}
"""What a user may give a pipe to: a log, and a script to run, as Python itself takes it."""


def test_what_belongs_to_a_project_is_read_by_nobody_else() -> None:
    top = Path(__file__).parent.parent / "ddplint"
    reading = {path.relative_to(top).as_posix() for path in top.rglob("*.py") if _READS.search(path.read_text())}
    assert reading - {"util/regular.py"} == _OF_ITS_OWN | _STREAMS


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text\r\n")
    assert read_regular(tmp_path / "a") == b"text\r\n"
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "link") == b"text\r\n"


def test_a_folder_a_pipe_a_socket_and_a_device_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        for path in (".", "pipe", "socket", os.devnull):
            with pytest.raises(OSError):  # noqa: PT011
                read_regular(path)


def test_a_pipe_with_a_writer_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(reader, b"import torch\n")
    with pytest.raises(OSError, match="not a regular file"):
        read_regular(tmp_path / "pipe")
    os.close(reader)


@pytest.mark.parametrize(
    "name", ["pipe.py", "other/helper.py", "run.sh", ".gitignore", "ddplint.toml", "pyproject.toml"]
)
def test_a_pipe_in_the_project_keeps_nobody_waiting(project: Path, name: str) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    os.mkfifo(project / name)
    for words in (["."], ["train.py"], ["helper.py"]):
        done = checked(*words)
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
        assert "train.py" in done.stdout or words != ["."]


def test_it_is_said_that_a_pipe_and_a_socket_were_not_checked(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("pipe.py")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.py")
        main(["."])
    said = capsys.readouterr().err
    assert "pipe.py: warning: not a regular file, not checked" in said
    assert "socket.py: warning: not a regular file, not checked" in said


def test_a_pipe_that_is_named_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.py")
    assert main(["pipe.py"]) == 2
    assert "pipe.py: error: cannot be read: not a regular file" in capsys.readouterr().err


def test_a_pipe_as_configuration_or_baseline_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe")
    assert main(["--config", "pipe", "."]) == 2
    assert main(["--baseline", "pipe", "."]) == 2
    assert capsys.readouterr().err.count("cannot be read: not a regular file") == 2
