"""Move an operation above the early exit that keeps some ranks from it."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.findings.edits import Edit, InsertBefore, Replace, ReplaceStatements
from ddplint.fixing.code import shape
from ddplint.fixing.code.depends import assigned_paths, leaving, may_read, reads
from ddplint.fixing.code.site import CannotBuild, Site
from ddplint.fixing.recipes.split import check_unconditional, result_name
from ddplint.source.ancestry import descend
from ddplint.source.calls import calls_in
from ddplint.source.tree import dotted

_SHOWN = frozenset({"debug", "info", "print", "warning"})
"""Last names of calls that show something to people: an operation may overtake them."""


def move_above_exit(site: Site, guard: cst.If, *, more: Sequence[Site] = ()) -> tuple[Edit, ...]:
    """``if not g: return v``, ``a``, ``X`` becomes ``X``, ``if not g: return v``, ``a``.

    ``site`` is the operation, in the same block as ``guard``; ``more`` are further ones, in the order they stand in it.
    Raises :class:`CannotBuild` where ``X`` depends on what it would overtake, or that on ``X``.
    """
    _check_exit(site, guard)
    ahead: list[cst.BaseStatement] = []
    edits: list[Edit] = []
    lines: list[cst.CSTNode] = []
    for one in (site, *more):
        passed, line = _between(one, guard)
        check_unconditional(one, line)
        small = line.body[0]
        whole = isinstance(small, (cst.Expr, cst.Assign, cst.AnnAssign))
        operation: cst.BaseStatement | cst.BaseExpression = line if whole else _expression(one)
        _check_independent(operation, [*guard.body.body, *(step for step in passed if step not in lines)])
        if whole:
            lines.append(line)
            edits.append(ReplaceStatements(site.file, line, ()))
            ahead.append(shape.with_leading(line, shape.comments(shape.leading(line))))
        else:
            name = result_name(one, _expression(one))
            target = cst.AssignTarget(cst.Name(name))
            ahead.append(cst.SimpleStatementLine([cst.Assign([target], _expression(one).deep_clone())]))
            edits.append(Replace(site.file, one.node, cst.Name(name)))
    return (InsertBefore(site.file, guard, tuple(ahead)), *edits)


def _expression(site: Site) -> cst.BaseExpression:
    assert isinstance(site.node, cst.BaseExpression)
    return site.node


def _between(site: Site, guard: cst.If) -> tuple[Sequence[cst.CSTNode], cst.SimpleStatementLine]:
    """What stands between the exit and the line of the operation, and that line."""
    block = site.tree.block(guard)
    if not isinstance(block, cst.IndentedBlock):
        raise CannotBuild("the exit is not in a block of its own")
    lines = list(block.body)
    after = lines[lines.index(guard) + 1 :]
    for place, line in enumerate(after):
        if site.tree.contains(line, site.node):
            if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
                return after[:place], line
            raise CannotBuild("the operation is in a further block after the exit")
    raise CannotBuild("the operation is not in the block of the exit")


def _check_exit(site: Site, guard: cst.If) -> None:
    """The exit must skip the rest of what its block belongs to, once."""
    if guard.orelse is not None:
        raise CannotBuild("the exit has an else branch")
    last = guard.body.body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    holders = [step for step in site.tree.ancestors(guard) if isinstance(step, (cst.For, cst.While, cst.FunctionDef))]
    in_loop = bool(holders) and isinstance(holders[0], (cst.For, cst.While))
    if isinstance(last, cst.Return) and not in_loop:
        return
    if isinstance(last, cst.Continue) and in_loop:
        return
    raise CannotBuild("the exit ends more than this iteration")


def _check_independent(operation: cst.CSTNode, passed: Sequence[cst.CSTNode]) -> None:
    """The operation must not see a difference, nor must what it overtakes."""
    needed, used = reads(operation), set[str]().union(*map(reads, passed))
    made = assigned_paths([operation])
    operands = {path for argument in _arguments(operation) for path in reads(argument)}
    if any(may_read(assigned_paths(passed), path) for path in needed) or any(may_read(made, path) for path in used):
        raise CannotBuild("it depends on what only some ranks did before it")
    if any(may_read(operands, path) for path in used):
        raise CannotBuild("what stands before it looks at its operands")
    if leaving([line for line in passed if not isinstance(line, cst.SimpleStatementLine)]):
        raise CannotBuild("there is another exit before it")
    for node in (node for line in passed for node in descend(line)):
        if isinstance(node, cst.Call) and not _is_shown(node) and not shape.is_pure(node):
            raise CannotBuild(f"it would run before `{dotted(node.func) or 'a call'}`")


def _is_shown(call: cst.Call) -> bool:
    return dotted(call.func).rpartition(".")[2] in _SHOWN


def _arguments(operation: cst.CSTNode) -> list[cst.CSTNode]:
    return [argument.value for node in calls_in(operation) for argument in node.args]
