"""Lists of folders of which something is taken at once: where nothing is in them, all ranks fail alike.

``names = os.listdir(folder)`` and ``max(names)``: who has just made the folder fails there himself. It is meant for a
folder that has been filled before.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Event
from ddplint.source.ancestry import descend

__all__ = ["takes_some"]

_OF_SOME = frozenset({"max", "min"})
_BEHIND = 3
"""How many statements behind the list may take something of it."""


def takes_some(listing: Event) -> bool:
    """Whether an element is taken of what is listed, there or a few statements behind, and that without a question."""
    steps = list(listing.file.ancestors(listing.node))
    if any(_takes(step) for step in _within_statement(steps)):
        return True
    line = next((place for place, step in enumerate(steps) if isinstance(step, cst.SimpleStatementLine)), None)
    if line is None or line + 1 >= len(steps):
        return False
    statement, block = steps[line], steps[line + 1]
    names = {target.value for target in _targets(statement)}
    body = block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ()
    at = next((place for place, one in enumerate(body) if one is statement), len(body))
    for behind in body[at + 1 : at + 1 + _BEHIND]:
        if not isinstance(behind, cst.SimpleStatementLine):
            return False
        if any(_takes(node) and _mentions(node, names) for node in descend(behind)):
            return True
    return False


def _within_statement(steps: list[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    for step in steps:
        if isinstance(step, (cst.BaseStatement, cst.IfExp, cst.Lambda, cst.BooleanOperation)):
            return
        yield step


def _takes(node: cst.CSTNode) -> bool:
    """``max(names)`` without a default, or ``names[-1]``."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        index = node.slice[0].slice.value
        return isinstance(index, cst.Integer) or (
            isinstance(index, cst.UnaryOperation) and isinstance(index.expression, cst.Integer)
        )
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or node.func.value not in _OF_SOME:
        return False
    plain = [arg for arg in node.args if arg.keyword is None]
    return len(plain) == 1 and not any(arg.keyword is not None and arg.keyword.value == "default" for arg in node.args)


def _targets(statement: cst.CSTNode) -> Iterator[cst.Name]:
    for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        for target in part.targets if isinstance(part, cst.Assign) else ():
            if isinstance(target.target, cst.Name):
                yield target.target


def _mentions(node: cst.CSTNode, names: set[str]) -> bool:
    """Whether what is taken is of one of these names: not a number inside its own elements (``x.split()[0]``)."""
    whole = (
        node.value if isinstance(node, cst.Subscript) else node.args[0].value if isinstance(node, cst.Call) else node
    )
    if isinstance(node, cst.Subscript):
        return isinstance(whole, cst.Name) and whole.value in names
    return any(isinstance(step, cst.Name) and step.value in names for step in descend(whole))
