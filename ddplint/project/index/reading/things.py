"""What displays, comprehensions and holders of modules put together, and what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ddplint.project.index.reading.expressions import choices, described

_CONTAINERS = (ast.List, ast.Tuple, ast.Set)
_HOLDERS = frozenset({"ModuleDict", "ModuleList", "Sequential"})
_IN_TURN = "Sequential"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


def things_in(value: ast.AST | None) -> Iterator[str]:
    """The things that a display or a comprehension puts together."""
    if isinstance(value, ast.Dict):
        for one in value.values:
            yield from things_in(one) if isinstance(one, _CONTAINERS) else choices(one)
    elif isinstance(value, _CONTAINERS):
        for one in value.elts:
            yield from choices(one)
    elif isinstance(value, _COMPREHENSIONS):
        yield from choices(value.elt)
    elif isinstance(value, ast.DictComp):
        yield from choices(value.value)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        for keyword in value.keywords:
            yield from choices(keyword.value)
    elif isinstance(value, ast.Call) and callee_of(value.func).rpartition(".")[2] in _HOLDERS:
        for one in value.args:
            yield from _parts(one, several=callee_of(value.func).endswith(_IN_TURN))


def _parts(given: ast.expr, several: bool) -> Iterator[str]:
    """What a holder of modules is given: a list of them, or ``several``, each by itself."""
    inner = given.value if isinstance(given, ast.Starred) else given
    if isinstance(inner, ast.Name) and (inner is not given or not several):
        yield f"{inner.id} ["
    elif inner is not given or not several or isinstance(inner, ast.Dict):
        yield from things_in(inner)
    else:
        yield from choices(inner)


def callee_of(node: ast.expr) -> str:
    """What is called; ``?`` stands for what an attribute is asked of that has no words."""
    words = described(node)
    return words or (f"? .{node.attr}" if isinstance(node, ast.Attribute) else "")
