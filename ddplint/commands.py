"""``ddplint rule CODE``, ``rules``, ``schema`` and ``server``. Files of that name are not hidden by them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ddplint.pages import page, table

__all__ = ["command"]


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
