"""The hooks under a real ``pre-commit run`` in a scratch repository.

The hooks are those of ``.pre-commit-hooks.yaml``, except that they run the tool that is tested instead of installing
it: no network is needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pre_commit")
yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent.parent
HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
dist.destroy_process_group()
"""
CLEAN = HANG.replace("    dist.barrier()", "    pass")


def hooks() -> dict[str, dict[str, Any]]:
    """The published hooks by id, to be run from where the tests run."""
    found = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    for hook in found:
        assert hook["entry"].split()[0] == "ddplint"
        hook["language"] = "system"
        hook.pop("additional_dependencies", None)
        chosen = [] if "--select" in hook["entry"] else ["--select", "DDP1"]
        hook["entry"] = " ".join([sys.executable, "-m", hook["entry"], *chosen])
    return {hook["id"]: hook for hook in found}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "rules")]))
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "DDPLINT_NO_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for arguments in (["init", "-q"], ["config", "user.email", "t@example.org"], ["config", "user.name", "t"]):
        git(*arguments)
    return folder


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def run(hook: str, *arguments: str) -> tuple[int, str]:
    """``pre-commit run`` with one of the hooks."""
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hooks()[hook]]}]}))
    git("add", ".pre-commit-config.yaml")
    command = [sys.executable, "-m", "pre_commit", "run", "--color", "never", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def stage(text: str, name: str = "train.py") -> None:
    Path(name).write_text(text)
    git("add", name)


def test_a_finding_stops_the_commit(repository: Path) -> None:
    stage(HANG)
    code, said = run("ddplint")
    assert code == 1
    assert "train.py:5:5: error: DDP101" in said
    stage(CLEAN)
    assert run("ddplint")[0] == 0


def test_without_a_staged_python_file_nothing_is_run(repository: Path) -> None:
    Path("train.py").write_text(HANG)
    stage("text", "notes.md")
    code, said = run("ddplint")
    assert code == 0
    assert "(no files to check)Skipped" in said


def test_what_is_staged_is_checked_and_not_what_is_not(repository: Path) -> None:
    stage(CLEAN)
    Path("train.py").write_text(HANG)
    assert run("ddplint")[0] == 0
    assert Path("train.py").read_text() == HANG
    stage(HANG)
    Path("train.py").write_text(CLEAN)
    assert run("ddplint")[0] == 1
    assert Path("train.py").read_text() == CLEAN


def test_fixing_stops_the_commit_and_the_next_one_goes_through(repository: Path) -> None:
    stage(HANG)
    code, said = run("ddplint-fix")
    assert code == 1
    assert "files were modified by this hook" in said
    assert Path("train.py").read_text() != HANG
    git("add", "train.py")
    assert run("ddplint-fix")[0] == 0
    assert run("ddplint")[0] == 0


def test_all_files_and_a_baseline(repository: Path) -> None:
    stage(HANG)
    stage(HANG, "other.py")
    code, said = run("ddplint", "--all-files")
    assert (code, "2 findings (2 errors) in 2 files" in said) == (1, True)
    subprocess.run([sys.executable, "-m", "ddplint", "--write-baseline", "known.json", "."], check=True)
    stage('baseline = "known.json"\n', "ddplint.toml")
    git("add", "known.json")
    assert run("ddplint", "--all-files")[0] == 0
    assert ".ddplint_cache" not in git("status", "--short")


def test_slurm_scripts_are_launch_files(repository: Path) -> None:
    pytest.importorskip("tree_sitter_bash")
    Path("slurm").mkdir()
    stage("#!/bin/bash\nexport NCCL_ASYNC_ERROR_HANDLING=1\n", "slurm/train.sbatch")
    stage("FROM x\nENV NCCL_ASYNC_ERROR_HANDLING=1\n", "Dockerfile")
    stage("export NCCL_ASYNC_ERROR_HANDLING=1\n", "notes.txt")
    code, said = run("ddplint-launch", "--all-files")
    assert (code, "1 finding (1 warning) in 2 files" in said) == (1, True)
    assert "Dockerfile" in said
    assert "train.sbatch" in said


def test_what_is_excluded_stays_so_although_it_is_staged(repository: Path) -> None:
    Path("legacy").mkdir()
    stage(HANG, "legacy/old.py")
    assert run("ddplint")[0] == 1
    stage("exclude = ['legacy/']", "ddplint.toml")
    assert run("ddplint")[0] == 0
