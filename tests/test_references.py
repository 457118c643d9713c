"""What docstrings refer to is there: modules, classes, functions and attributes by their names."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = {"ddplint": ROOT / "ddplint", "ddplint_rules": ROOT / "rules" / "ddplint_rules"}
REFERENCE = re.compile(r":(?:class|func|meth|mod|data|attr|exc):`~?\.?([\w.]+)`")


def _modules() -> dict[str, ast.Module]:
    found = {}
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


def _names(tree: ast.Module) -> set[str]:
    """What a module defines or imports, and the members of its classes behind the class."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


def _lost(modules: dict[str, ast.Module]) -> Iterator[str]:
    names = {name: _names(tree) for name, tree in modules.items()}
    every = set().union(*names.values())
    for module, tree in modules.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
                continue
            for target in REFERENCE.findall(str(node.value.value)):
                if not _is_there(target, module, names, every):
                    yield f"{module}:{node.lineno}: {target}"


def _is_there(target: str, module: str, names: dict[str, set[str]], every: set[str]) -> bool:
    owner, _, last = target.rpartition(".")
    if target in names or last in names.get(owner, ()) or hasattr(builtins, target) or owner == "libcst":
        return True
    home = owner.rpartition(".")[0]
    if owner.startswith("ddplint"):
        return last in names.get(home, ())
    near = any(f"{package}.{target}" in names for package in ("ddplint", "ddplint.analysis"))
    below = any(name.startswith(f"{module}.") and name.endswith(f".{target}") for name in names)
    return near or below or (last in names[module] if not owner else last in every)


def test_references_lead_somewhere() -> None:
    assert list(_lost(_modules())) == []


def test_a_lost_reference_is_noticed() -> None:
    tree = ast.parse('"""See :func:`gone` and :class:`Here`."""\nclass Here: ...\n')
    assert list(_lost({"ddplint.some": tree})) == ["ddplint.some:1: gone"]
