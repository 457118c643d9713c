"""The guides *Many repositories* and *Agents*, followed as they are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
GUIDES = ROOT / "docs" / "pages" / "guides"
HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
"""


def block(title: str) -> str:
    text = (GUIDES / "many-repositories.md").read_text("utf-8")
    found = re.search(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shared package installed, and ddplint on the path; git knows a name."""
    tools, package = tmp_path / "bin", tmp_path / "site" / "acme_lint"
    tools.mkdir()
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "ddplint.toml").write_text(block("acme-lint/acme_lint/ddplint.toml"))
    (tools / "ddplint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ddplint "$@"\n')
    (tools / "ddplint").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), str(ROOT), str(ROOT / "rules")]))
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "bot")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "bot@example.org")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sh(command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_many_repositories(shell: Path) -> None:
    Path("adopt.sh").write_text(block("adopt.sh"))
    for name, text in {"one": HANG, "two": "X = 1\n"}.items():
        clone = shell / "clones" / "acme" / name
        clone.mkdir(parents=True)
        (clone / "train.py").write_text(text)
        assert sh("git init -q -b main && git add . && git commit -qm first", clone).returncode == 0
    done = sh("sh adopt.sh clones/*/*")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "clones/acme/one: 1 finding written to ddplint-baseline.json.\n"
        "clones/acme/two: 0 findings written to ddplint-baseline.json.\n"
    )
    clone = shell / "clones" / "acme" / "one"
    assert sh("git log --format=%s -1 ddplint", clone).stdout.startswith("Check with ddplint")
    gate = sh("ddplint --output full --output json=../../one.json .", clone)
    assert (gate.returncode, gate.stderr) == (0, ""), gate.stdout
    assert "1 known from the baseline" in gate.stdout
    (clone / "new.py").write_text(HANG.replace("barrier()", "all_reduce(1)"))
    assert sh("ddplint .", clone).returncode == 1, "what is new fails"
    page = sh(
        "ddplint report clones/*.json --output ddplint.html && ddplint report clones/*.json --output-format markdown"
    )
    assert (page.returncode, page.stderr) == (0, "")
    assert "| one | 0 | 0 | 0 | 1 | 0 | 0 |" in page.stdout
    assert "1 known from baselines" in page.stdout
    shown = sh("DDPLINT_CONFIG=acme_lint:ddplint.toml ddplint --show-settings")
    assert 'min-confidence = "high"  # ' in shown.stdout


def test_agents(shell: Path) -> None:
    Path("train.py").write_text("X = 1\n")
    assert sh("git init -q -b main && git add . && git commit -qm first").returncode == 0
    Path("train.py").write_text(HANG)
    done = sh("ddplint --diff-base HEAD --output-format json .")
    assert done.returncode == 1
    (finding,) = [one for one in json.loads(done.stdout)["findings"] if one["severity"] == "error"]
    told = (GUIDES / "agents.md").read_text("utf-8")
    fields = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]*) \|", told.partition("## Reading")[2], re.MULTILINE))
    )
    assert len(fields) > 12
    for name in fields:
        assert name in {**finding, **finding["actions"][0], **json.loads(done.stdout)}, name
    sh("ddplint --fix --diff-base HEAD .")
    assert "DDP101" not in sh("ddplint --diff-base HEAD -q --show-advice .").stdout


def test_the_skill_says_what_the_guide_says() -> None:
    """Its head is what programs read, and its commands are those of the guide."""
    text = (ROOT / "skills" / "ddplint" / "SKILL.md").read_text("utf-8")
    head = re.match(r"---\nname: ddplint\ndescription: ([^\n]+)\n---\n", text)
    assert head is not None
    assert len(head[1]) <= 1024
    told = (GUIDES / "agents.md").read_text("utf-8")
    for command in ("ddplint --diff-base HEAD --output-format json .", "ddplint triage job.log --source ."):
        assert command in text
        assert command in told
