"""Makes the pages of the site: the README, the changelog, and one page for each rule from its docstring."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from ddplint.pages import page, table
from ddplint.registry import load_codemods, load_rules

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "benchmark.md",
}
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add what is not written by hand."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=linked((ROOT / source).read_text("utf-8"))))
    for name, text in rule_pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def rule_pages() -> dict[str, str]:
    """The page of each rule and codemod, and the list of all."""
    rules = load_rules().rules
    lines = ["# Rules", "", "| code | name | severity | what it does |", "| --- | --- | --- | --- |"]
    lines += [f"| [{code}]({code}.md) | {name} | {severity} | {text} |" for code, name, severity, text in table(rules)]
    codemods = load_codemods().rules
    lines += ["", "# What --insert puts in", "", "| name | what it does |", "| --- | --- |"]
    lines += [f"| [{name}]({name}.md) | {text} |" for _, name, _, text in table(codemods)]
    return {
        "rules/index.md": "\n".join(lines) + "\n",
        **{f"rules/{one.code}.md": page(one) for one in (*rules, *codemods)},
    }


def linked(text: str) -> str:
    """``text`` with its links to files of the repository led to pages of the site, or taken off."""

    def lead(match: re.Match[str]) -> str:
        shown, path, part = match.groups()
        return f"[{shown}]({PAGES[path]}{part or ''})" if path in PAGES else shown

    return _LINK.sub(lead, text)
