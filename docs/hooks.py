"""Makes what is not written by hand: rule pages, the reference of the command line, links, placeholders."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from ddplint.cli.usage import COMMANDS
from ddplint.config.schema import schema_text
from ddplint.rule import Rule
from ddplint.rulebook.pages import fixes_of, page, summary_of, table
from ddplint.rulebook.reference import rule_api
from ddplint.rulebook.registry import load_codemods, load_rules
from ddplint.version import DOCUMENTATION, REPOSITORY, __version__

ROOT = Path(__file__).parent.parent
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "docs/ARCHITECTURE.md": "architecture.md",
    "benchmarks/RESULTS.md": "benchmark.md",
}
GROUPS = {
    "DDP1": "Collectives",
    "DDP2": "Files and checkpoints",
    "DDP3": "Data",
    "DDP4": "The process group",
    "DDP5": "Environment and launch files",
    "DDP6": "Gradients",
    "DDP7": "Parts of models",
}
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")
_FENCE = re.compile(r"(^```.*?^```$|^~~~.*?^~~~$|`[^`\n]+`|\[[^\]]*\]\([^)]*\)|^#[^\n]*$)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"\bDDP\d{3}\b")
_THREAD = re.compile(r"\b([A-Za-z0-9][\w.-]*/[\w.-]+)#(\d+)\b")


def on_config(config: Any) -> Any:
    """The address of the site, and the navigation of the rules: by group, each page with its name."""
    config.site_url = DOCUMENTATION
    rules = load_rules().rules
    groups: list[Any] = [{"All rules": "rules/index.md"}]
    for prefix, title in GROUPS.items():
        own = [one for one in rules if one.code.startswith(prefix)]
        groups.append({title: [{f"{one.code} {one.name}": f"rules/{one.code}.md"} for one in own]})
    groups.append({"Insertions": [{one.name: f"rules/{one.code}.md"} for one in load_codemods().rules]})
    config.nav = [{"Rules": groups} if entry == {"Rules": "rules/index.md"} else entry for entry in config.nav]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add what is not written by hand."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=linked((ROOT / source).read_text("utf-8"))))
    findings = (ROOT / "ddplint" / "report" / "findings.schema.json").read_text("utf-8")
    triage = (ROOT / "ddplint" / "job" / "triage" / "answer" / "triage.schema.json").read_text("utf-8")
    schemas = {"findings.schema.json": findings, "triage.schema.json": triage, "config.schema.json": schema_text()}
    for name, text in schemas.items():
        files.append(File.generated(config, f"reference/{name}", content=text))
    pages = {**rule_pages(), "reference/command-line.md": command_line(), "reference/rule-api.md": rule_api()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Fill in placeholders, and link codes of rules and threads of repositories."""
    for name, text in placeholders().items():
        markdown = markdown.replace("{{ " + name + " }}", text)
    up = "../" * page.file.src_uri.count("/")
    known = {rule.code for rule in load_rules().rules} - {Path(page.file.src_uri).stem}
    return outside_code(markdown, lambda text: _with_links(text, up, known))


def placeholders() -> dict[str, str]:
    """What stands for ``{{ name }}`` on a page: addresses, the tag of this version, the README's evidence."""
    readme = (ROOT / "README.md").read_text("utf-8")
    return {
        "repository": REPOSITORY,
        "action": "/".join(REPOSITORY.split("/")[-2:]),
        "tag": f"v{__version__}",
        "commit": _commit(f"v{__version__}"),
        "documentation": DOCUMENTATION,
        "evidence": linked(readme.partition("\n## Evidence\n")[2].partition("\n## ")[0].strip()),
    }


def _commit(tag: str) -> str:
    """The commit of a tag, to pin; before there is one, words for it."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        said = ""
    return said or f"COMMIT-OF-{tag}"


def _with_links(text: str, up: str, known: set[str]) -> str:
    text = _THREAD.sub(r"[\g<0>](https://github.com/\g<1>/issues/\g<2>)", text)
    return _CODE.sub(lambda one: f"[{one[0]}]({up}rules/{one[0]}.md)" if one[0] in known else one[0], text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """``text`` with what is neither code, nor a link, nor a heading changed."""
    parts = _FENCE.split(text)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def rule_pages() -> dict[str, str]:
    """The page of each rule and codemod, and the list of all."""
    rules = load_rules().rules
    lines = ["# Rules", "", f"{len(rules)} rules. `ddplint rule CODE` prints a page, `ddplint rules` the list."]
    for prefix, title in GROUPS.items():
        own = [one for one in rules if one.code.startswith(prefix)]
        lines += ["", f"## {title}", ""]
        lines += [f"- [**{one.code} {one.name}**]({one.code}.md) · {_facts(one)}<br>{summary_of(one)}" for one in own]
    codemods = load_codemods().rules
    lines += ["", "## What --insert puts in", "", "| name | what it does |", "| --- | --- |"]
    lines += [f"| [{name}]({name}.md) | {text} |" for _, name, _, text in table(codemods)]
    return {
        "rules/index.md": "\n".join(lines) + "\n",
        **{f"rules/{one.code}.md": page(one) for one in (*rules, *codemods)},
    }


def _facts(rule: Rule) -> str:
    """The severity and the kind of fix."""
    fix = fixes_of(rule)
    return f"{rule.severity.value} · {fix} fix" if fix else rule.severity.value


def command_line() -> str:
    """The help of every command, as it is printed."""
    parts = ["# Command line", "", *_help("ddplint", ["--help"])]
    for name in COMMANDS:
        parts += _help(f"ddplint {name}", [name, "--help"]) if name != "check" else []
    return "\n".join(parts)


def _help(title: str, arguments: Sequence[str]) -> list[str]:
    from ddplint.cli.main import main

    out, columns = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "110"
    here = Path.cwd()
    os.chdir(ROOT / "docs")  # where no path hides a command
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main(arguments)
    os.chdir(here)
    os.environ.pop("COLUMNS")
    os.environ.update({"COLUMNS": columns} if columns is not None else {})
    return ["", f"## {title}", "", "```text", out.getvalue().rstrip(), "```"]


def linked(text: str) -> str:
    """``text`` with its links to files of the repository led to pages of the site, or taken off."""

    def lead(match: re.Match[str]) -> str:
        shown, path, part = match.groups()
        inside = path.removeprefix("docs/pages/") if path.startswith("docs/pages/") else PAGES.get(path)
        return f"[{shown}]({inside}{part or ''})" if inside is not None else shown

    return _LINK.sub(lead, text)
