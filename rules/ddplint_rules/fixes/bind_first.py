"""The binding of a device gets before the process group."""

from __future__ import annotations

import libcst as cst

from ddplint.rule import Event
from ddplint.rule.code import Site, Statement, assigned_paths, descend, dotted, may_read, reads, with_leading
from ddplint.rule.fixes import CannotBuild, Edit, InsertBefore, ReplaceStatements

_PURE = frozenset({"int", "str", "float", "os.environ.get", "os.getenv", "torch.device", "environ.get", "getenv"})


def moved_up(init: Event, binding: Event) -> tuple[Edit, ...]:
    """The binding and the plain assignments it needs, moved above the creation of the group.

    Raises :class:`CannotBuild` where something between the two takes part.
    """
    site = Site(init.file, init.node)
    if binding.file is not init.file or binding.call is None:
        raise CannotBuild("bind the device before init_process_group")
    first, last = site.statement, site.tree.statement(binding.node)
    block = site.tree.block(first)
    if any(not _harmless(node) for arg in binding.call.args for node in descend(arg)):
        raise CannotBuild("the number of the device is worked out from the process group")
    lines = list(getattr(block, "body", ()))
    if block is None or first not in lines or last not in lines:
        raise CannotBuild("bind the device before init_process_group")
    between = lines[lines.index(first) + 1 : lines.index(last)]
    moved = [*_needed(between, last), last]
    if any(_reads_any(first, line) for line in moved):
        raise CannotBuild("bind the device before init_process_group")
    stays = [line for line in between if line not in moved]
    if any(_reads_any(line, other) for other in moved for line in stays):
        raise CannotBuild("the number of the device is worked out between the two")
    gone = [ReplaceStatements(init.file, line, ()) for line in moved]
    above = tuple(with_leading(line, []) for line in moved if isinstance(line, cst.BaseStatement))
    return (InsertBefore(init.file, first, above), *gone)


def _needed(between: list[Statement], last: Statement) -> list[Statement]:
    """The assignments between the two on which the binding hangs, in order."""
    wanted, needed = reads(last), []
    for line in reversed(between):
        if any(may_read(assigned_paths([line]), path) for path in wanted):
            if not _pure(line):
                raise CannotBuild("the number of the device is worked out from the process group")
            needed.append(line)
            wanted |= reads(line)
    return needed[::-1]


def _pure(line: Statement) -> bool:
    if not (isinstance(line, cst.SimpleStatementLine) and all(isinstance(small, cst.Assign) for small in line.body)):
        return False
    return all(map(_harmless, descend(line)))


def _harmless(node: cst.CSTNode) -> bool:
    return not isinstance(node, cst.Call) or dotted(node.func) in _PURE


def _reads_any(line: Statement, other: Statement) -> bool:
    """Whether ``line`` makes or changes something that ``other`` reads."""
    made = assigned_paths([line])
    return any(may_read(made, path) for path in reads(other))
