"""Texts for people are plain English in the field's terms: a list of home-made words that no text may hold."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.cli.usage import COMMANDS
from ddplint.config.keys import KEYS, NAME_KEYS
from ddplint.rulebook.pages import page
from ddplint.rulebook.registry import load_codemods, load_rules

ROOT = Path(__file__).parent.parent
BANNED = {
    r"part(s|ed|ing)? ways": "diverge",
    r"hands? out": "broadcasts, gives",
    r"(is|are|be) told": "reported, given",
    r"tells? (about|of|that|only)": "reports, says",
    r"told (as|by|with)": "reported as",
    r"tak(e|es|ing) (it )?up\b": "adopt",
    r"(less|more) grave": "less severe",
    r"(less|more) sure\b": "lower confidence",
    r"goes? in\b(?! (and|step|line))": "enters",
    r"imagined world": "the world that is walked",
    r"shares? out": "distributes, shards",
    r"how .{1,20} looks like": "what it looks like",
    r"rounds?(?= of (fixing|the loop))|number of rounds": "iterations",
    r"for the round that": "iteration",
    r"barren": "no Python files",
    r"com(e|es|ing) by\b": "reaches",
    r"hands? (over|on)\b": "passes",
    r"(many|every|same|more|the|this|last) rounds?\b(?! each)": "iterations",
    r"what parts (the )?ranks": "the divergence",
    r"ranks part (because|there|here|at)": "diverge",
    r"nobody tells": "is never given",
    r"been told|told (to|on)\b": "asked, called",
}
ALLOWED = re.compile(r"goes in and|what goes in")


def spoken() -> Iterator[tuple[str, str]]:
    """Every text that people read, with where it is from."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs" / "pages").rglob("*.md"))):
        yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
    for rule in (*load_rules().rules, *load_codemods().rules):
        yield rule.code, page(rule)
    yield "configuration", "\n".join(key.text for key in (*KEYS.values(), *NAME_KEYS.values()))
    yield "commands", "\n".join(COMMANDS.values())
    yield "editors/vscode", (ROOT / "editors" / "vscode" / "README.md").read_text("utf-8")
    yield "editors/vscode manifest", (ROOT / "editors" / "vscode" / "package.json").read_text("utf-8")
    for name in ("action.yml", "pyproject.toml", "mkdocs.yml", "CHANGELOG.md", "CONTRIBUTING.md"):
        yield name, (ROOT / name).read_text("utf-8")
    yield "hooks", (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")


def messages() -> Iterator[tuple[str, str]]:
    """The texts in the rule book and in the tool that are no docstrings: messages, notes, titles of fixes."""
    for folder in (ROOT / "ddplint", ROOT / "rules" / "ddplint_rules"):
        for path in sorted(folder.rglob("*.py")):
            for line, text in strings(ast.parse(path.read_text("utf-8"))):
                if " " in text:
                    yield f"{path.relative_to(ROOT).as_posix()}:{line}", text


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """String constants other than docstrings and texts that stand alone."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of the code, and the texts below names; what stands in them as code is none of ours."""
    for folder in (ROOT / "ddplint", ROOT / "rules" / "ddplint_rules"):
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    text = re.sub(r"``.*?``", "``", str(node.value.value), flags=re.DOTALL)
                    yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", text


def found(texts: Iterator[tuple[str, str]]) -> list[str]:
    flat = [(where, " ".join(ALLOWED.sub("", text).split())) for where, text in texts]
    return [
        f"{where}: '{match[0]}', rather {better}: ...{text[max(match.start() - 40, 0) : match.end() + 30]}..."
        for where, text in flat
        for pattern, better in BANNED.items()
        for match in re.finditer(rf"\b{pattern}", text, re.IGNORECASE)
    ]


def test_pages_and_help_use_no_home_made_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    helps = [("--help", capsys.readouterr().out)]
    assert "\n".join(found(iter([*spoken(), *helps]))) == ""


def test_messages_use_no_home_made_words() -> None:
    assert "\n".join(found(messages())) == ""


def test_docstrings_use_no_home_made_words() -> None:
    assert "\n".join(found(docstrings())) == ""


def test_the_list_is_applied() -> None:
    sample = inspect.cleandoc("""The ranks part ways, and the rest is told with --verbose.""")
    assert {line.partition("'")[2].partition("'")[0] for line in found(iter([("here", sample)]))} == {
        "part ways",
        "is told",
        "told with",
    }
