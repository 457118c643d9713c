"""The documentation site: built in full, strictly, where mkdocs-material is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddplint.registry import load_codemods, load_rules

ROOT = Path(__file__).parent.parent


def test_the_site_is_built_and_every_rule_has_its_page(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="needs ddplint[docs]")
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for rule in load_rules().rules:
        text = (tmp_path / "site" / "rules" / rule.code / "index.html").read_text("utf-8")
        assert f"{rule.code}: {rule.name}" in text
        assert "What it does" in text
    for codemod in load_codemods().rules:
        assert "--insert" in (tmp_path / "site" / "rules" / codemod.code / "index.html").read_text("utf-8")
    assert "imagined world" in (tmp_path / "site" / "index.html").read_text("utf-8")
