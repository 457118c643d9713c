"""``sampler.set_epoch(epoch)`` behind the loops over samplers: the name is what the last of them was left at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.source.ancestry import Tree, descend, tree_of

if TYPE_CHECKING:
    from ddplint.source.file import SourceFile

__all__ = ["left_over"]

_EPOCH = "set_epoch"
_WITH_TARGET = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr)
_WITH_NAME = (cst.AsName, cst.NameItem, cst.Param)


def left_over(file: SourceFile) -> Iterator[tuple[cst.Call, cst.For]]:
    """The calls of ``set_epoch`` on a name that loops alone bind, behind these; and the last of the loops."""
    if _EPOCH not in file.text:
        return
    tree = tree_of(file.module)
    for call in tree.nodes(cst.Call):
        name = _told(call)
        scope = next(tree.scopes(call), None) if name else None
        if not isinstance(scope, (cst.FunctionDef, cst.Module)):
            continue
        loops = _loops_that_bind(scope, name)
        if loops and all(_is_through(tree, loop, call) for loop in loops):
            yield call, loops[-1]


def _told(call: cst.Call) -> str:
    """The name in ``name.set_epoch(…)`` or ``name.sampler.set_epoch(…)``."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != _EPOCH:
        return ""
    told = call.func.value
    while isinstance(told, cst.Attribute) and told.attr.value.endswith("sampler"):
        told = told.value
    return told.value if isinstance(told, cst.Name) else ""


def _loops_that_bind(scope: cst.FunctionDef | cst.Module, name: str) -> list[cst.For]:
    """The loops with this name as a target; none where something else may bind it too."""
    loops: list[cst.For] = []
    parts = (scope.params, scope.body) if isinstance(scope, cst.FunctionDef) else (scope,)
    for node in (node for part in parts for node in descend(part, into_functions=False)):
        if isinstance(node, cst.For) and _mentions(node.target, name):
            loops.append(node)
        elif _mentions(_bound(node), name):
            return []
    return loops


def _bound(node: cst.CSTNode) -> cst.CSTNode | None:
    """What something else than a loop binds."""
    if isinstance(node, _WITH_TARGET):
        return node.target
    return node.name if isinstance(node, _WITH_NAME) else None


def _mentions(target: cst.CSTNode | None, name: str) -> bool:
    """Whether a target binds the name; ``name.part = …`` and ``name[0] = …`` do not."""
    if isinstance(target, cst.Name):
        return target.value == name
    if isinstance(target, (cst.Tuple, cst.List)):
        return any(_mentions(element.value, name) for element in target.elements)
    return False


def _is_through(tree: Tree, loop: cst.For, call: cst.Call) -> bool:
    """Whether the loop has gone through all there is when the call comes: it is over, and is never left early."""
    if tree.contains(loop, call) or tree.order(loop) > tree.order(call):
        return False
    return not any(isinstance(node, (cst.Break, cst.Return)) for node in descend(loop.body, into_functions=False))
