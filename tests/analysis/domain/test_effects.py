"""The words of events are said once, and stay the words that caches, JSON and the tables have."""

from __future__ import annotations

import ast
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.analysis.domain.effects import Effect
from ddplint_rules.knowledge.schema import EFFECTS

ROOT = Path(__file__).parents[3]
CODE = [path for folder in ("ddplint", "rules/ddplint_rules") for path in sorted((ROOT / folder).rglob("*.py"))]


def test_member_is_its_word() -> None:
    assert Effect.WRITE == "write"
    assert {Effect.WRITE: 1}["write"] == 1  # type: ignore[index]
    assert (str(Effect.WRITE), f"{Effect.WRITE:>6}") == ("write", " write")
    assert json.dumps([Effect.WRITE]) == '["write"]'
    assert pickle.loads(pickle.dumps(Effect.WRITE)) is Effect.WRITE


def test_tables_use_no_other_word() -> None:
    assert {Effect(word) for word in EFFECTS} <= set(Effect)


@pytest.mark.parametrize("text", ["x.effect == 'write'", "x.effect in ('write', A)", "w.emit(name, 'write', node)"])
def test_text_is_noticed(text: str) -> None:
    assert list(_texts(ast.parse(text)))


def test_effects_are_not_written_as_text() -> None:
    found = [f"{path.relative_to(ROOT)}:{line}" for path in CODE for line in _texts(ast.parse(path.read_text("utf-8")))]
    assert not found


def _texts(tree: ast.AST) -> Iterator[int]:
    """The lines where an effect is compared with a text, or an event is written down with one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = any(isinstance(side, ast.Attribute) and side.attr == "effect" for side in sides)
            parts = [part for side in sides for part in ast.walk(side)] if asked else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "emit":
            parts = [*node.args[1:2]]
        else:
            continue
        yield from (node.lineno for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))


def test_kinds_are_not_compared_with_text() -> None:
    found = [f"{path.relative_to(ROOT)}:{line}" for path in CODE for line in _kinds(ast.parse(path.read_text("utf-8")))]
    assert not found


def _kinds(tree: ast.AST) -> Iterator[int]:
    """The lines where the kind of a guard, of a divergence or of a continuation is compared with a text."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        kinds = (side.value for side in sides if isinstance(side, ast.Attribute) and side.attr == "kind")
        asked = any(ast.unparse(one).rpartition(".")[2] in ("cont", "divergence", "guard") for one in kinds)
        parts = [part for side in sides for part in ast.walk(side)] if asked else []
        yield from (node.lineno for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
