"""The documentation site, built in full and strictly, and the links between all texts of the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ddplint.rulebook.registry import load_codemods, load_rules
from ddplint.version import DOCUMENTATION
from docs.hooks import _with_links, outside_code, placeholders

ROOT = Path(__file__).parent.parent.parent


def test_the_site_is_built_and_every_rule_has_its_page(tmp_path: Path) -> None:
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
    assert "fixture trainers do under torchrun" in start, "the evidence of the README"
    for name in ("findings", "config"):
        assert (tmp_path / "site" / "reference" / f"{name}.schema.json").is_file()
    assert f'<link rel="canonical" href="{DOCUMENTATION}rules/DDP101/">' in (
        tmp_path / "site" / "rules" / "DDP101" / "index.html"
    ).read_text("utf-8"), "the address that reports and editors lead to"


def texts() -> Iterator[Path]:
    """The Markdown files outside of the site, whose links are those of the repository."""
    yield from (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("skills/**/*.md"))
    for folder in ("fixtures", "tests", "rules", "benchmarks", "editors", "ddplint"):
        yield from (path for path in (ROOT / folder).rglob("*.md") if "node_modules" not in path.parts)


def test_links_between_texts_lead_to_files_and_headings_that_are_there() -> None:
    found = 0
    for path in texts():
        for target, part in re.findall(
            r"\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)", without_code(path.read_text("utf-8"))
        ):
            other = (path.parent / target).resolve() if target else path
            found += 1
            assert other.exists(), f"{path}: {target}"
            if part and other.suffix == ".md":
                assert part[1:] in anchors(other.read_text("utf-8")), f"{path}: {target}{part}"
    assert found > 25


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


def test_addresses_are_said_in_one_place() -> None:
    """Pages take them from placeholders, reports and editors from ``ddplint.version``."""
    said = [placeholders()[name] for name in ("repository", "documentation")]
    done = subprocess.run(
        ["git", "grep", "-lF", *(f"-e{one}" for one in said)], cwd=ROOT, capture_output=True, text=True
    )
    assert set(done.stdout.split()) <= {"ddplint/version.py"}, done.stdout


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = ROOT / "docs" / "pages"
    for path in pages.rglob("*.md"):
        assert f": {path.relative_to(pages).as_posix()}\n" in text, path


def test_codes_and_threads_become_links_outside_of_code() -> None:
    text = "# DDP101\nAs DDP101 says, `DDP102` and [DDP103](x.md), in a/b#12.\n```\nDDP104 c/d#3\n```\n"
    assert outside_code(text, lambda part: _with_links(part, "../", {"DDP101", "DDP102", "DDP104"})) == (
        "# DDP101\nAs [DDP101](../rules/DDP101.md) says, `DDP102` and [DDP103](x.md), "
        "in [a/b#12](https://github.com/a/b/issues/12).\n```\nDDP104 c/d#3\n```\n"
    )
