"""Which module needs which: the engine knows no rule, and nothing runs in circles outside of the walk."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
FOLDERS = {"ddplint": TOP / "ddplint", "ddplint_rules": TOP / "rules" / "ddplint_rules"}
THE_WALK = "ddplint.simulate."
"""The parts of an interpreter call one another: an expression holds a call, a call runs statements."""

Graph = dict[str, set[str]]


def _modules() -> dict[str, Path]:
    found = {}
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Module and name of each import that is carried out some time: also those within functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        yield from _imported(node)


def _graph() -> Graph:
    modules = _modules()
    graph: Graph = {name: set() for name in modules}
    for name, path in modules.items():
        for module, wanted in _imported(ast.parse(path.read_text("utf-8"))):
            target = f"{module}.{wanted}" if f"{module}.{wanted}" in modules else module
            if target in modules and target != name:
                graph[name].add(target)
    return graph


def _above(graph: Graph, start: str) -> set[str]:
    """All that a module needs, over any number of steps."""
    found: set[str] = set()
    stack = [start]
    while stack:
        new = graph[stack.pop()] - found
        found |= new
        stack += new
    return found


@pytest.fixture(scope="module")
def graph() -> Graph:
    return _graph()


def test_the_engine_knows_no_rule(graph: Graph) -> None:
    knowing = {name for name, needs in graph.items() if name.startswith("ddplint.") and "ddplint_rules" in needs}
    assert len(graph) > 200
    assert not knowing


def test_nothing_runs_in_circles_outside_of_the_walk(graph: Graph) -> None:
    circular = {name for name in graph if name in _above(graph, name)}
    assert {name for name in circular if not name.startswith(THE_WALK)} == set()


def test_the_walk_needs_nobody_who_needs_it(graph: Graph) -> None:
    """Rules are written against the walk, not the walk against rules, fixes, reports or the engine."""
    needed = set().union(*(_above(graph, name) for name in graph if name.startswith(THE_WALK)))
    rooms = {name.split(".")[1] for name in needed if name.startswith("ddplint.")}
    assert not rooms & {"engine", "fixing", "report", "judge", "cli", "cache", "server", "launch", "settled"}


def test_nothing_needs_the_matchers_of_libcst() -> None:
    """Importing them takes as long as importing the rest of LibCST."""
    using = {
        name
        for name, path in _modules().items()
        for module, wanted in _imported(ast.parse(path.read_text("utf-8")))
        if module.startswith("libcst.matchers") or (module, wanted) == ("libcst", "matchers")
    }
    assert using == set()
