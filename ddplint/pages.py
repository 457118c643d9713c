"""``ddplint rule CODE``, ``rules``, ``schema`` and ``server``. Files of that name are not hidden by them."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Sequence

from ddplint.rule import Codemod, Rule

__all__ = ["command", "page", "summary_of", "table"]


def command(arguments: Sequence[str]) -> int | None:
    """Carry out ``rule CODE``, ``rule``, ``rules``, ``schema`` or ``server``; ``None`` where the arguments are paths.

    ``rules`` is the path where something of that name exists, ``rule X`` where ``X`` exists too; ``rule`` without a
    code lists the rules wherever no file is called so.
    """
    first, rest = arguments[0], list(arguments[1:])
    if first in ("schema", "server"):
        return None if rest or os.path.exists(first) else _schema() if first == "schema" else _serve()
    if len(rest) > 1 or any(word.startswith("-") for word in rest):
        return None
    if first == "rule" and rest and not os.path.exists(rest[0]):
        return _explain(rest[0])
    if rest or os.path.exists(first):
        if not rest and first == "rules":
            print("note: checking the path 'rules'; 'ddplint rule' lists the rules", file=sys.stderr)
        return None
    return _list()


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


def _explain(key: str) -> int:
    from ddplint.registry import load_codemods, load_rules
    from ddplint.settings import suggestion

    book = load_rules()
    rule = book.find(key) or load_codemods().find(key)
    if rule is None:
        print(f"error: unknown rule '{key}'{suggestion(key, book.keys())}", file=sys.stderr)
        return 2
    sys.stdout.write(page(rule))
    return _trouble(book.errors)


def _schema() -> int:
    from ddplint.config_schema import schema_text

    sys.stdout.write(schema_text())
    return 0


def _serve() -> int:
    from ddplint.server import run

    return run()


def _list() -> int:
    from ddplint.registry import load_rules

    book = load_rules()
    rows = table(book.rules)
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for row in rows:
        print("  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths)), row[3]]).rstrip())
    return _trouble(book.errors)


def _trouble(errors: Sequence[str]) -> int:
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 2 if errors else 0
