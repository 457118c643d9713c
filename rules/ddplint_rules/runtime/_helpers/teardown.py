"""Where a script ends, and how its process group is destroyed there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

from ddplint.rule import Event, Frame
from ddplint.rule.code import Site, called, descend, running_lines
from ddplint.rule.fixes import CannotBuild, Edit, InsertAfter, group_surely_exists


def destroyed_at_the_end(made: Event) -> tuple[Edit, ...]:
    """``destroy_process_group()`` as the last line of what a process runs. Raises :class:`CannotBuild`."""
    frame = _runner(made)
    site = Site(frame.file, frame.node)
    lines = running_lines(site.tree, frame.node)
    last = lines[-1] if lines else None
    if not isinstance(last, cst.BaseStatement) or any(map(_may_end, lines)):
        raise CannotBuild("call destroy_process_group where the script ends")
    destroy = site.name("torch.distributed.destroy_process_group")
    line: cst.BaseStatement = cst.SimpleStatementLine([cst.Expr(cst.Call(destroy.expression))])
    edits = destroy.edits
    made_there = isinstance(last, cst.SimpleStatementLine) and site.tree.contains(last, frame.node)
    if not made_there and not group_surely_exists(site.moved(last)):
        asked = site.name("torch.distributed.is_initialized")
        line = cst.If(cst.Call(asked.expression), cst.IndentedBlock([line]))
        edits = (*edits, *asked.edits)
    return (InsertAfter(frame.file, last, (line,)), *edits)


def _runner(made: Event) -> Frame:
    """The step of the call stack in what a process runs: ``main``, what is launched, or else the script itself."""
    for outer, inner in pairwise(made.stack):
        if outer.call is not None:
            row = Site(outer.file, outer.call).known(outer.call.func)
            if row is not None and row.kind == "launcher":
                return inner
    steps: Sequence[Frame] = made.stack
    return steps[1] if len(steps) > 1 and _is_all(steps[0]) else steps[0]


def _is_all(frame: Frame) -> bool:
    """Whether a script has nothing more to do once the call in it returns."""
    tree = Site(frame.file, frame.node).tree
    lines = running_lines(tree, frame.node)
    return bool(lines) and tree.contains(lines[-1], frame.node)


def _may_end(line: cst.CSTNode) -> bool:
    """Whether the function, or the process, may end in this line."""
    for node in descend(line, into_functions=False):
        if isinstance(node, cst.Return):
            return True
        if called(node) in ("sys.exit", "exit", "quit", "os._exit"):
            return True
    return False
