"""A name that is imported for types alone (``TYPE_CHECKING``) is not there at run time."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
MODULES = sorted(path for folder in ("ddplint", "rules") for path in (TOP / folder).rglob("*.py"))


def _imported(node: ast.AST) -> set[str]:
    """The names that imports somewhere below a node bind."""
    found = (one for one in ast.walk(node) if isinstance(one, (ast.Import, ast.ImportFrom)))
    return {alias.asname or alias.name.split(".")[0] for one in found for alias in one.names}


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _lines(node: ast.If) -> ast.Module:
    return ast.Module(node.body, [])


class _Uses(ast.NodeVisitor):
    """Where names are read when the code runs: not in annotations, nor where a function has a name of its own."""

    def __init__(self, names: set[str]) -> None:
        self.names, self.found = names, list[str]()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for one in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(one)
        own = _imported(node) | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        own |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        outside, self.names = self.names, self.names - own
        for line in node.body:
            self.visit(line)
        self.names = outside

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        for line in node.orelse if _is_for_types(node) else (node.test, *node.body, *node.orelse):
            self.visit(line)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.names and isinstance(node.ctx, ast.Load):
            self.found.append(f"line {node.lineno}: {node.id}")


def _used(text: str) -> list[str]:
    tree = ast.parse(text)
    blocks = [node for node in tree.body if isinstance(node, ast.If) and _is_for_types(node)]
    uses = _Uses({name for block in blocks for name in _imported(_lines(block))})
    uses.visit(tree)
    return uses.found


def test_names_for_types_are_not_used_at_run_time() -> None:
    used = {path.relative_to(TOP).as_posix(): _used(path.read_text("utf-8")) for path in MODULES}
    assert {path: found for path, found in used.items() if found} == {}
    assert len(used) > 500


HEAD = "from __future__ import annotations\nif TYPE_CHECKING:\n    from a import B\n"


@pytest.mark.parametrize(
    "line", ["x = B()", "x: B = B(1)", "def f(one=B): ...", "def f():\n    return cast(B, 1)", "class C(B): ..."]
)
def test_uses_at_run_time_are_seen(line: str) -> None:
    assert len(_used(f"{HEAD}{line}\n")) == 1


@pytest.mark.parametrize(
    "line",
    ["x: B", "def f(one: B) -> B: ...", "def f():\n    from a import B\n    return B()", "def f(B):\n    return B"],
)
def test_types_and_own_names_are_no_uses(line: str) -> None:
    assert _used(f"{HEAD}{line}\n") == []
