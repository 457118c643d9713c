"""What is done with a tensor while an operation that was only started still reads it, or fills it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.trace.events import Event
from ddplint.source.ancestry import Tree, descend, tree_of
from ddplint.source.calls import last_part

_ENDS = ("synchronize", "wait")


_ASKS = frozenset({"cpu", "float", "int", "item", "numpy", "tolist"})
"""Functions and methods that give the numbers of a tensor."""


def used_early(event: Event) -> tuple[str, cst.CSTNode] | None:
    """The handle of a started operation, and what uses its tensor before anything reads the handle.

    It is changed in place, or asked for its numbers, which what is only sent may be.

    Only what stands behind the start in the same block is looked at: the program surely reaches it.
    """
    tree, call, tensor = tree_of(event.file.module), event.call, event.given("tensor", 0)
    kept = tree.parent(call) if call is not None else None
    if not isinstance(kept, cst.Assign) or len(kept.targets) != 1 or not isinstance(tensor, (cst.Name, cst.Attribute)):
        return None
    handle = kept.targets[0].target
    if not isinstance(handle, cst.Name):
        return None
    is_filled = event.label != "isend"
    for statement in _behind(tree, kept):
        if _ends(statement, handle.value, tensor):
            return None
        inside = descend(statement, into_functions=False)
        use = next((node for node in inside if _changes(node, tensor) or (is_filled and _asks(node, tensor))), None)
        if use is not None:
            return handle.value, use
    return None


def _behind(tree: Tree, kept: cst.Assign) -> Iterator[cst.CSTNode]:
    """The statements behind one, in its block."""
    line = tree.parent(kept)
    block = tree.parent(line) if line is not None else None
    if isinstance(block, (cst.IndentedBlock, cst.Module)):
        at = next(number for number, one in enumerate(block.body) if one is line)
        yield from block.body[at + 1 :]


def _ends(statement: cst.CSTNode, handle: str, tensor: cst.BaseExpression) -> bool:
    """Whether the handle is read, something else is waited for, or the name of the tensor gets another one."""
    for node in descend(statement, into_functions=False):
        if isinstance(node, cst.Name) and node.value == handle:
            return True
        if isinstance(node, cst.Call) and last_part(node.func).startswith(_ENDS):
            return True
        if isinstance(node, cst.AssignTarget) and node.target.deep_equals(tensor):
            return True
    return False


def _changes(node: cst.CSTNode, tensor: cst.BaseExpression) -> bool:
    """Whether a node changes the tensor in place: ``x += 1``, ``x[0] = 1``, ``x.mul_(2)``."""
    if isinstance(node, (cst.AugAssign, cst.AssignTarget)):
        target = node.target
        return (isinstance(node, cst.AugAssign) and target.deep_equals(tensor)) or _is_item(target, tensor)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    name, of = node.func.attr.value, node.func.value
    return name.endswith("_") and name != "requires_grad_" and of.deep_equals(tensor)


def _asks(node: cst.CSTNode, tensor: cst.BaseExpression) -> bool:
    """Whether a call gives the numbers of the tensor: ``x.item()``, ``float(x)``."""
    if not isinstance(node, cst.Call) or last_part(node.func) not in _ASKS:
        return False
    if isinstance(node.func, cst.Attribute):
        return node.func.value.deep_equals(tensor)
    return len(node.args) == 1 and node.args[0].value.deep_equals(tensor)


def _is_item(target: cst.BaseExpression, tensor: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Subscript) and target.value.deep_equals(tensor)
