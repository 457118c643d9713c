"""What the engine's vocabulary says holds of any library: names of libraries stand in the tables."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ddplint.analysis.domain.effects import Effect
from ddplint.knowledge import tables

ROOT = Path(__file__).parents[3]
ANALYSIS = ROOT / "ddplint" / "analysis"
CODE = (ANALYSIS, ROOT / "ddplint" / "project", ROOT / "rules" / "ddplint_rules")

NAMED_IN_CODE = 95
"""How many names of libraries stand in code outside the tables. It may only fall: a row, or a list, says more.

What is left: names that fixes write into programs, names by which one event or object is made, and classes of which a
module knows more than a row can say.
"""


def _texts(path: Path) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.value


@cache
def _libraries() -> frozenset[str]:
    """The packages that the tables have rows of, without Python's own, and without words that effects are called by."""
    rows = (json.loads(path.read_text("utf-8")).get("api", ()) for path in tables.folder().glob("*.json"))
    return frozenset(name.partition(".")[0] for row in rows for name in row) - sys.stdlib_module_names - set(Effect)


def test_domain_knows_no_library() -> None:
    named = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _libraries())))})(?:\b|(?=_))", re.IGNORECASE)
    found = [f"{path.name}: {text}" for path in (ANALYSIS / "domain").rglob("*.py") for text in _texts(path)]
    assert len(found) > 100
    assert [one for one in found if named.search(one.partition(": ")[2])] == []


def test_names_of_libraries_stand_in_tables() -> None:
    dotted = re.compile(r"([A-Za-z_]\w*)(?:\.\w+)+\.?")
    paths = [path for top in CODE for path in top.rglob("*.py") if "knowledge" not in path.parts]
    found = [
        text
        for path in paths
        for text in _texts(path)
        if (named := dotted.fullmatch(text)) and named[1] in _libraries()
    ]
    assert len(found) <= NAMED_IN_CODE, sorted(found)
    assert len(found) > NAMED_IN_CODE - 5, "fewer: lower the number"
