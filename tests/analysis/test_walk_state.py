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
    "interp/branching.py": 3,
    "interp/generators.py": 1,
    "semantics/calling/calls.py": 3,
    "semantics/calling/replay.py": 1,
    "semantics/context_managers.py": 3,
    "semantics/exceptions.py": 2,
    "semantics/looping/loops.py": 4,
    "semantics/looping/while_loops.py": 2,
}
"""How often a module sets such a field for what comes behind it. It may only fall: what is put back is a block.

What is left: behind an arm, a call, a loop or a handler it hangs on who came out of it whether what was decided and
assumed inside still holds. That nobody goes further, or that something holds from here on, ``State`` says itself
(``leave``, ``assume``, ``go_on_from``).
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
