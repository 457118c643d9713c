"""The documentation site: built in full, strictly, where mkdocs-material is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddplint.rulebook.registry import load_codemods, load_rules

ROOT = Path(__file__).parent.parent.parent


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
    start = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "report-dark.svg" in start
    assert "{{" not in start


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = ROOT / "docs" / "pages"
    for path in pages.rglob("*.md"):
        assert f": {path.relative_to(pages).as_posix()}\n" in text, path


def test_codes_and_threads_become_links_outside_of_code() -> None:
    pytest.importorskip("mkdocs", reason="needs ddplint[docs]")
    from docs.hooks import _with_links, outside_code

    text = "# DDP101\nAs DDP101 says, `DDP102` and [DDP103](x.md), in a/b#12.\n```\nDDP104 c/d#3\n```\n"
    assert outside_code(text, lambda part: _with_links(part, "../", {"DDP101", "DDP102", "DDP104"})) == (
        "# DDP101\nAs [DDP101](../rules/DDP101.md) says, `DDP102` and [DDP103](x.md), "
        "in [a/b#12](https://github.com/a/b/issues/12).\n```\nDDP104 c/d#3\n```\n"
    )
