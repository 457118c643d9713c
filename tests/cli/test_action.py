"""The composite action: its steps in a shell, as the runner starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent.parent
HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
"""


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return found


def step(name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in action()["runs"]["steps"] if one.get("name") == name)
    return found


def test_every_input_is_used_and_none_is_put_into_a_script() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name in action()["inputs"]:
        assert f"inputs.{name} " in text
    assert not any("${{" in one.get("run", "") for one in action()["runs"]["steps"])


@pytest.mark.parametrize(
    ("paths", "arguments", "code"),
    [
        (".", "", 1),
        ("a folder/train.py", "--select=DDP1\n--exit-zero", 0),
        ("missing.py", "", 2),
        ("$(touch hacked)", "--ignore\nDDP1", 2),
    ],
)
def test_the_check_annotates_writes_sarif_and_tells_its_exit_code(
    paths: str, arguments: str, code: int, tmp_path: Path
) -> None:
    project, tools = tmp_path / "project", tmp_path / "runner" / "ddplint" / "bin"
    (project / "a folder").mkdir(parents=True)
    (project / "a folder" / "train.py").write_text(HANG)
    tools.mkdir(parents=True)
    (tools / "ddplint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ddplint "$@"\n')
    (tools / "ddplint").chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "rules")]),
        "RUNNER_TEMP": str(tmp_path / "runner"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "PATHS": paths,
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "ARGS": arguments,
        "SARIF": "ddplint.sarif",
        "JSON": "ddplint.json",
        "CONFIG": "",
        "BASE": "",
        "SUMMARY": "true",
        "NO_CACHE": "1",
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check")["run"]]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "output").read_text() == f"exit-code={code}\n"
    assert not (project / "hacked").exists()
    if code < 2:
        assert "::error title=DDP101 guarded-collective,file=a folder/train.py,line=5," in done.stdout
        assert json.loads((project / "ddplint.sarif").read_text())["version"] == "2.1.0"
        assert json.loads((project / "ddplint.json").read_text())["format"] == "ddplint-findings"
        assert (tmp_path / "summary").read_text("utf-8").startswith("### ddplint\n")
    last = ["bash", "-c", step("Result")["run"]]
    assert subprocess.run(last, env={**environment, "CODE": str(code)}, check=False).returncode == code


def test_changed_lines_and_a_configuration_are_asked_for(tmp_path: Path) -> None:
    """What the inputs come to on the command line, with a program in ddplint's place that prints it."""
    tools = tmp_path / "ddplint" / "bin"
    tools.mkdir(parents=True)
    (tools / "ddplint").write_text(
        '#!/bin/sh\nfor one in "$@"; do echo "<$one>"; done\necho "cache<$DDPLINT_NO_CACHE>"\n'
    )
    (tools / "ddplint").chmod(0o755)
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "PATHS": "src\na b",
        "CONFIG": "acme_lint:gate.toml",
        "BASE": "0123abcd",
        "ARGS": "--strict",
        "SARIF": "x.sarif",
        "JSON": "",
        "SUMMARY": "false",
        "NO_CACHE": "",
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check")["run"]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    given = ["--config=acme_lint:gate.toml", "--diff-base=0123abcd", "--strict", "--output", "github"]
    given += ["--output", "sarif=x.sarif", "--", "src", "a b"]
    assert done.stdout == "".join(f"<{one}>\n" for one in given) + "cache<>\n"
    assert not (tmp_path / "summary").exists()


def test_results_are_kept_by_system_python_version_and_lock() -> None:
    kept = step("Results of earlier runs")["with"]
    assert kept["path"] == ".ddplint_cache"
    for part in ("runner.os", "inputs.python-version", "steps.install.outputs.version", "uv.lock", "requirements*.txt"):
        assert part in kept["key"]
    assert all(kept["key"].startswith(one) for one in kept["restore-keys"].split("\n") if one)
