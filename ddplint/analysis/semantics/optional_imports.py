"""Packages that a program does without: what it notes where one of them is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import Const, External, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.semantics.takers import Try

_THERE = frozenset({"numpy", "torch"})
"""Packages without which there is nothing to train: parts of them are a question of versions, and taken to be there."""


def note(w: Interp, node: Try) -> None:
    """The names that were set where a package could be imported hold what a handler sets where it could not.

    Both are the same for all ranks; names that stand for the package itself are left as they are.
    """
    package = _package(w, node)
    if package is None or not w.state.mask:
        return
    there = symbol("call", "importlib.util.find_spec", Const(package))
    for handler in node.handlers:
        for target, value in _flags(w, handler.body):
            held = w.semantics.evaluate(w, target)
            if isinstance(held, Const) and held != value and held.value is not None and value.value is not None:
                w.semantics.assign(w, target, either(there, held, value))


def _package(w: Interp, node: Try) -> str | None:
    """The package that the body imports first, if it is one that may be missing."""
    smalls = (small for line in node.body.body if isinstance(line, cst.SimpleStatementLine) for small in line.body)
    first = next((small for small in smalls if isinstance(small, (cst.Import, cst.ImportFrom))), None)
    if first is None or isinstance(first.names, cst.ImportStar):
        return None
    alias = first.names[0]
    bound: cst.CSTNode = alias.asname.name if alias.asname is not None else alias.name
    while isinstance(bound, cst.Attribute):
        bound = bound.value
    held = w.state.store.get((w.frame.scope, bound.value)) if isinstance(bound, cst.Name) else None
    package = held.name.partition(".")[0] if isinstance(held, External) else None
    return None if package in _THERE else package


def _flags(w: Interp, body: cst.BaseSuite) -> Iterator[tuple[cst.Name, Const]]:
    """The names that a handler sets to constants."""
    for line in body.body:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign) and len(small.targets) == 1:
                target = small.targets[0].target
                value = _constant(w, small.value)
                if isinstance(target, cst.Name) and isinstance(value, Const):
                    yield target, value


def _constant(w: Interp, node: cst.BaseExpression) -> Value | None:
    plain = isinstance(node, (cst.Integer, cst.SimpleString)) or (
        isinstance(node, cst.Name) and node.value in ("False", "True")
    )
    return w.semantics.evaluate(w, node) if plain else None
