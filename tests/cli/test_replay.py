"""Runs that are repeated: printed again while nothing has changed, and never when something has."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ddplint.cli.main import main
from ddplint.engine import checker

Run = Callable[..., tuple[int, str, bool]]

ROOT = Path(__file__).parent.parent.parent
HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
"""
CLEAN = HANG.replace("    dist.barrier()", "    print('abc')  ")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / "train.py").write_text(HANG)
    (folder / "helper.py").write_text("X = 1\n")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("DDPLINT_NO_CACHE", raising=False)
    age()
    return folder


def age() -> None:
    """Files that have just been written may change again without a trace: wait until they are older than a tick."""
    time.sleep(0.15)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line: exit code, what was printed, and whether that was printed again instead of checked."""
    checks = list[int]()
    real = checker.Checker.check

    def counted(*arguments: Any, **named: Any) -> Any:
        checks.append(1)
        return real(*arguments, **named)

    monkeypatch.setattr(checker.Checker, "check", counted)

    def one(*arguments: str) -> tuple[int, str, bool]:
        checks.clear()
        code = main(["--select", "DDP1", *arguments])
        out, err = capsys.readouterr()
        assert "internal error" not in err
        return code, out + err, not checks

    return one


def test_the_same_again_and_nothing_is_checked(repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, repeated = run(".")
    assert (code, repeated) == (1, False)
    assert "DDP101" in out
    assert run(".") == (1, out, True)
    assert run(".", "--output-format", "concise")[2] is False, "other arguments are another run"
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(".")[2] is False
    monkeypatch.delenv("FORCE_COLOR")
    assert run(".") == (1, out, True)


def same_size_and_time(folder: Path) -> None:
    path = folder / "train.py"
    found = path.stat()
    assert len(CLEAN) == len(HANG)
    path.write_text(CLEAN)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda folder: (folder / "train.py").write_text(CLEAN + "\n"), 0),
        (same_size_and_time, 0),
        (lambda folder: (folder / "train.py").unlink(), 0),
        (lambda folder: (folder / "new.py").write_text(HANG), 1),
        (lambda folder: (folder / ".gitignore").write_text("train.py\n"), 0),
        (lambda folder: (folder / "ddplint.toml").write_text('ignore = ["DDP101"]\n'), 0),
        (lambda folder: (folder.parent / "ddplint.toml").write_text('ignore = ["DDP101"]\n'), 0),
        (lambda folder: (folder / "train.py").rename(folder / "other.py"), 1),
        (lambda folder: next((folder / ".ddplint_cache" / "runs").iterdir()).write_text("rubbish\nx\n[]"), 1),
    ],
    ids=[
        "content",
        "content, same size and time",
        "gone",
        "new",
        "ignored",
        "configured",
        "above",
        "renamed",
        "damaged",
    ],
)
def test_what_has_changed_is_checked(change: Callable[[Path], object], code: int, repository: Path, run: Run) -> None:
    assert run(".")[:1] == (1,)
    assert run(".")[2]
    change(repository)
    found, out, repeated = run(".")
    assert (found, repeated) == (code, False), out


def test_what_is_never_repeated(repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["--fix"], ["--diff"], ["--output", "sarif=x.sarif"], ["--no-cache"], ["--verbose"], ["none.py"]):
        (repository / "train.py").write_text(CLEAN)
        age()
        assert not run(*arguments, ".")[2]
        assert not run(*arguments, ".")[2], arguments
    with monkeypatch.context() as without:
        without.setenv("DDPLINT_NO_CACHE", "1")
        assert not run(".")[2]
        assert not run(".")[2]
    (repository / "bad.py").write_text("import torch.distributed\ndef (\n")
    age()
    assert [run(".")[::2] for _ in range(2)] == [(2, False)] * 2


def test_links_to_folders(repository: Path, run: Run) -> None:
    """What a link within the repository leads to is looked at anyway; outside of it nothing is."""
    (repository / "inner").mkdir()
    (repository / "inner" / "one.py").write_text("X = 1\n")
    (repository / "link").symlink_to("inner", target_is_directory=True)
    age()
    assert [run(".")[2] for _ in range(2)] == [False, True]
    (repository / "inner" / "one.py").write_text(HANG)
    assert not run(".")[2]
    (repository.parent / "outer").mkdir()
    (repository / "away").symlink_to(repository.parent / "outer", target_is_directory=True)
    age()
    assert [run(".")[2] for _ in range(2)] == [False, False]


@pytest.mark.parametrize("how", ["extend", "of a folder", "variable", "option", "package"])
def test_a_configuration_from_elsewhere(
    how: str, repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A repeated run is quick under each of them, and looks again when it has changed."""
    shared = tmp_path / "shared.toml"
    shared.write_text('ignore = ["DDP102"]\n')
    (tmp_path / "acme_lint").mkdir()
    arguments = ["."]
    if how == "extend":
        (repository / "ddplint.toml").write_text('extend = "../shared.toml"\n')
    elif how == "of a folder":
        (repository / "inner").mkdir()
        (repository / "train.py").rename(repository / "inner" / "train.py")
        (repository / "inner" / "pyproject.toml").write_text('[tool.ddplint]\nextend = "../../shared.toml"\n')
    elif how == "variable":
        monkeypatch.setenv("DDPLINT_CONFIG", str(shared))
    elif how == "option":
        arguments = ["--config", str(shared), "."]
    else:
        shared = shared.rename(tmp_path / "acme_lint" / "shared.toml")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        (repository / "ddplint.toml").write_text('extend = "acme_lint:shared.toml"\n')
    age()
    assert [run(*arguments)[::2] for _ in range(2)] == [(1, False), (1, True)]
    shared.write_text('per-file-ignores = { "*.py" = ["DDP101"] }\n')
    age()
    assert [run(*arguments)[::2] for _ in range(2)] == [(0, False), (0, True)]


def test_keys_of_other_tools_do_not_matter(repository: Path, run: Run) -> None:
    """``extend-exclude`` of ruff beside a table of ddplint is no configuration from elsewhere."""
    text = '[tool.ddplint]\nextend-select = ["DDP101"]\n[tool.ruff]\nextend-exclude = ["x"]\nextend = "none.toml"\n'
    (repository / "pyproject.toml").write_text(text)
    age()
    assert [run(".")[::2] for _ in range(2)] == [(1, False), (1, True)]


def test_a_repeated_run_imports_nothing_heavy(repository: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "rules"), str(ROOT)])
    command = [sys.executable, "-X", "importtime", "-m", "ddplint", "."]
    runs = [
        subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
        for _ in range(3)
    ]
    assert [run.returncode for run in runs] == [1, 1, 1]
    assert runs[0].stdout == runs[2].stdout
    assert "ddplint.engine.checker" in runs[0].stderr
    assert not {"ddplint.engine.checker", "ddplint.config.settings", "libcst"} & set(runs[2].stderr.split())
