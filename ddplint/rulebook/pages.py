"""What the rule book says of a rule: its page, its line in the table."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Sequence

from ddplint.rule import Codemod, Rule

_WIDTH = 120
"""Columns of a page in a terminal, as of the texts that are written by hand."""


def page(rule: Rule) -> str:
    """The page of a rule or a codemod in Markdown: a heading, the facts, its docstring."""
    text = inspect.cleandoc(type(rule).__doc__ or "")
    if isinstance(rule, Codemod):
        return f"# {rule.name}\n\n`ddplint --insert {rule.name}`\n\n{text}\n"
    facts = f"`{rule.code}` · {rule.severity.value}"
    facts = textwrap.fill(f"{facts}. {rule.otherwise}", _WIDTH) if rule.otherwise else facts
    return f"# {rule.code}: {rule.name}\n\n{facts}\n\n{text}\n{_options(rule)}"


def _options(rule: Rule) -> str:
    """The section on what a configuration may set, for rules that have options."""
    if not rule.settable:
        return ""
    rows = [f"| `{name}` | `{json.dumps(one.default)}` | {one.text} |" for name, one in rule.settable.items()]
    head = f"\n## Options\nUnder `[tool.ddplint.rules.{rule.code}]`:\n\n"
    return head + "\n".join(["| option | default | |", "| --- | --- | --- |", *rows]) + "\n"


def fixes_of(rule: Rule) -> str:
    """``safe`` or ``unsafe`` by what the rule's page says of its fixes first, or nothing where it has none."""
    said = " ".join(_section(rule, "Fix safety").split())
    if not said or said.startswith(("There is no", "No automatic fix")):
        return ""
    return "unsafe" if re.search(r"\b[Uu]nsafe\b", said.partition(". ")[0].partition(";")[0]) else "safe"


def record(rule: Rule) -> dict[str, str]:
    """What the list of rules says of one, for programs."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "fix": fixes_of(rule) or "none",
        "summary": summary_of(rule),
    }


def _section(rule: Rule, heading: str) -> str:
    text = inspect.cleandoc(type(rule).__doc__ or "")
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def table(rules: Sequence[Rule]) -> list[tuple[str, str, str, str]]:
    """Code, name, severity and one sentence for each rule."""
    return [(rule.code, rule.name, rule.severity.value, summary_of(rule)) for rule in rules]


def summary_of(rule: Rule) -> str:
    """What the rule finds, in one sentence."""
    lines = inspect.cleandoc(type(rule).__doc__ or "").splitlines()
    text: list[str] = []
    for line in lines:
        if line.startswith("#") or not line.strip():
            if text:
                break
            continue
        text.append(line.strip())
    sentence, stop, _ = " ".join(text).partition(". ")
    return sentence + "." if stop else sentence
