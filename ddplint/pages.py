"""What the rule book says of a rule: its page, its line in the table."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from ddplint.rule import Codemod, Rule

__all__ = ["page", "summary_of", "table"]


def page(rule: Rule) -> str:
    """The page of a rule or a codemod in Markdown: a heading, the facts, its docstring."""
    text = inspect.cleandoc(type(rule).__doc__ or "")
    if isinstance(rule, Codemod):
        return f"# {rule.name}\n\n`ddplint --insert {rule.name}`\n\n{text}\n"
    facts = f"`{rule.code}` · {rule.severity.value}"
    return f"# {rule.code}: {rule.name}\n\n{facts}\n\n{text}\n"


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
