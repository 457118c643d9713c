"""The folders that a file adds to ``sys.path``, where they are given from the file's own place."""

from __future__ import annotations

import ast
import posixpath

from ddplint.project.index.reading.expressions import described

_SAME = frozenset(
    {"str", "abspath", "realpath", "normpath", "resolve", "absolute", "as_posix", "Path", "expanduser", "relpath"}
)
_FILE = "<file>"


def added(tree: ast.Module) -> list[str]:
    """Paths from the file's folder, or from where the program is started. Absolute ones are none of the project's."""
    known: dict[str, str] = {}
    found: list[str] = []
    stack = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.If, ast.Try)):
            stack += reversed(node.body)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if (path := _path(node.value, known)) is not None:
                known[node.targets[0].id] = path
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found += [path for one in _given(node.value) if (path := _path(one, known)) is not None]
    return [path for path in dict.fromkeys(found) if not path.startswith(("/", _FILE))]


def _given(call: ast.Call) -> list[ast.expr]:
    """What a call adds to ``sys.path``."""
    callee = described(call.func)
    if callee == "sys .path .append":
        return call.args[:1]
    if callee == "sys .path .insert":
        return call.args[1:2]
    if callee == "sys .path .extend" and call.args and isinstance(call.args[0], (ast.List, ast.Tuple)):
        return list(call.args[0].elts)
    return []


def _path(node: ast.AST, known: dict[str, str], depth: int = 0) -> str | None:
    """A path that an expression stands for, ``None`` where that is open."""
    if depth > 12:
        return None
    if isinstance(node, ast.Constant):
        return posixpath.normpath(node.value) if isinstance(node.value, str) and node.value else None
    if isinstance(node, ast.Name):
        return _FILE if node.id == "__file__" else known.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _joined([_path(node.left, known, depth + 1), _path(node.right, known, depth + 1)])
    if isinstance(node, ast.Attribute) and node.attr == "parent":
        return _above(_path(node.value, known, depth + 1))
    if isinstance(node, ast.Subscript):
        return _parents(node, known, depth)
    return _called(node, known, depth) if isinstance(node, ast.Call) else None


def _parents(node: ast.Subscript, known: dict[str, str], depth: int) -> str | None:
    """``path.parents[2]``."""
    if not isinstance(node.value, ast.Attribute) or node.value.attr != "parents":
        return None
    number = node.slice.value if isinstance(node.slice, ast.Constant) else None
    path = _path(node.value.value, known, depth + 1)
    for _ in range(number + 1 if isinstance(number, int) and 0 <= number < 8 else 0):
        path = _above(path)
    return path if isinstance(number, int) else None


def _called(node: ast.Call, known: dict[str, str], depth: int) -> str | None:
    name = described(node.func).rpartition(" ")[2].lstrip(".")
    if name in ("getcwd", "cwd") and not node.args:
        return "."
    if (
        name in ("resolve", "absolute", "as_posix", "expanduser")
        and isinstance(node.func, ast.Attribute)
        and not node.args
    ):
        return _path(node.func.value, known, depth + 1)
    given = [_path(one, known, depth + 1) for one in node.args]
    if name == "joinpath" and isinstance(node.func, ast.Attribute):
        return _joined([_path(node.func.value, known, depth + 1), *given])
    if name == "join":
        return _joined(given)
    if name == "dirname" and given:
        return _above(given[0])
    return given[0] if name in _SAME and given else None


def _joined(parts: list[str | None]) -> str | None:
    whole = [part for part in parts if part is not None]
    return posixpath.normpath(posixpath.join(*whole)) if whole and len(whole) == len(parts) else None


def _above(path: str | None) -> str | None:
    if path is None:
        return None
    if path == _FILE:
        return "."
    return posixpath.normpath(posixpath.join(path, ".."))
