"""What holds for a block only is set by ``with w.saved(...)``, which puts back what was before, whatever happens."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ANALYSIS = Path(__file__).parents[2] / "ddplint" / "analysis"
OF_A_BLOCK = frozenset({"mask", "path", "stays", "guards", "locals", "loops", "tries", "tolerant", "around"})
WALKS = frozenset({"w", "w.state", "self._w", "self._w.state", "self.w", "self.w.state"})

ASSIGNED = {
    "entry/one_walk.py": 7,
    "entry/receivers.py": 1,
    "entry/select.py": 1,
    "interp/branching.py": 3,
    "interp/deciding.py": 2,
    "interp/generators.py": 2,
    "semantics/calling/calls.py": 6,
    "semantics/calling/definitions.py": 1,
    "semantics/calling/own_sources.py": 2,
    "semantics/calling/replay.py": 1,
    "semantics/context_managers.py": 5,
    "semantics/exceptions.py": 11,
    "semantics/looping/loops.py": 5,
    "semantics/looping/while_loops.py": 4,
    "semantics/names.py": 1,
    "semantics/statements.py": 2,
}
"""How often a module sets such a field for what comes behind it: ranks leave, go on, or have learnt something.

It may only fall: what is put back afterwards is a block.
"""


def _assigned(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else ()
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else (target,):
                if isinstance(one, ast.Attribute) and one.attr in OF_A_BLOCK and ast.unparse(one.value) in WALKS:
                    yield one.attr


@pytest.mark.parametrize(
    "text", ["w.guards = before", "w.state.mask, w.state.path = mask, path", "before, w.loops = 1, []"]
)
def test_assignment_is_noticed(text: str) -> None:
    assert list(_assigned(ast.parse(text)))


def test_what_holds_for_a_block_is_set_for_a_block() -> None:
    paths = {path.relative_to(ANALYSIS).as_posix(): path for path in ANALYSIS.rglob("*.py")}
    found = Counter(name for name, path in paths.items() for _ in _assigned(ast.parse(path.read_text("utf-8"))))
    assert found == ASSIGNED
