"""The rewrite of step-count-check: count the iterations of a loop, and compare the counts behind it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule.code import Site, Statement, descend, nodes_of, only_part, variable_of
from ddplint.rule.fixes import CannotBuild, Edit, InsertAfter, InsertBefore, helper, unused
from ddplint_rules.codemods._helpers.agreements import OF_A_GROUP
from ddplint_rules.codemods._helpers.batch_loops import BatchLoop

_CHECK = '''\
def check_step_counts(steps):
    """Raise on every rank where the ranks had different numbers of steps; does nothing on one process."""
    if not ($is_available() and $is_initialized()) or $get_world_size() == 1:
        return
    counts = [None] * $get_world_size()
    $all_gather_object(counts, steps)
    if len(set(counts)) > 1:
        told = ", ".join(f"rank {rank}: {count}" for rank, count in enumerate(counts))
        raise RuntimeError(f"the ranks had different numbers of steps: {told}")
'''


def compared_after(found: BatchLoop) -> tuple[Edit, ...]:
    """The edits that count the iterations of a loop, unless that is done already, and compare the counts behind it.

    Raises :class:`CannotBuild` where a check behind the loop might not be reached, or the loop is on one line.
    """
    site, loop = found.site, found.loop.node
    assert isinstance(loop, cst.For)
    if not isinstance(loop.body, cst.IndentedBlock) or loop.asynchronous is not None:
        raise CannotBuild("the loop is written on one line, or asynchronous")
    if site.function is not None and any(_yields(node) for node in descend(site.function.body, into_functions=False)):
        raise CannotBuild("the loop is in a generator, whose rest may never run")
    check = helper(site, _CHECK, OF_A_GROUP)
    counter = _own_counter(site, loop)
    edits: list[Edit] = []
    if not counter:
        counter = unused(site.moved(loop.body.body[0]), "steps")
        edits.append(InsertBefore(site.file, loop, (_line(f"{counter} = 0"),)))
        edits.append(InsertBefore(site.file, loop.body.body[0], (_line(f"{counter} += 1"),)))
    call = cst.Call(check.expression, [cst.Arg(cst.Name(counter))])
    behind = InsertAfter(site.file, loop, (cst.SimpleStatementLine([cst.Expr(call)]),))
    return (*edits, behind, *check.edits)


def _line(text: str) -> cst.BaseStatement:
    line = cst.parse_statement(text)
    assert isinstance(line, cst.SimpleStatementLine)
    return line


def _yields(node: cst.CSTNode) -> bool:
    return isinstance(node, (cst.Yield, cst.From))


def _own_counter(site: Site, loop: cst.For) -> str:
    """A variable that is 0 right above the loop and counted up once in every iteration; ``""`` where there is none."""
    block = getattr(site.tree.block(loop), "body", ())
    above: list[Statement] = list(block[: list(block).index(loop)]) if loop in block else []
    for name in _counted(loop):
        zero = next((one for one in reversed(above) if _sets(one, name)), None)
        inside = [node for node in descend(loop) if _binds(node, name)]
        if zero is not None and _is_zero(zero, name) and len(inside) == 1:
            return name
    return ""


def _counted(loop: cst.For) -> Iterator[str]:
    """The names that the body of a loop counts up before anything can cut the iteration short."""
    for statement in loop.body.body:
        for small in getattr(statement, "body", ()) if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.AugAssign) and isinstance(small.target, cst.Name):
                one = isinstance(small.value, cst.Integer) and small.value.value == "1"
                if one and isinstance(small.operator, cst.AddAssign):
                    yield small.target.value
        if any(nodes_of(statement, cst.Continue, cst.Break)):
            return


def _sets(statement: cst.CSTNode, name: str) -> bool:
    return any(_binds(node, name) for node in descend(statement))


def _binds(node: cst.CSTNode, name: str) -> bool:
    """Whether a node is an assignment to a name, of any kind, or declares it to be somebody else's."""
    if isinstance(node, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.CompFor)):
        target = node.target
        return any(isinstance(part, cst.Name) and part.value == name for part in descend(target))
    if isinstance(node, (cst.Global, cst.Nonlocal)):
        return any(item.name.value == name for item in node.names)
    return isinstance(node, cst.AsName) and any(
        isinstance(part, cst.Name) and part.value == name for part in descend(node.name)
    )


def _is_zero(statement: cst.CSTNode, name: str) -> bool:
    only = only_part(statement)
    value = only.value if isinstance(only, cst.Assign) and variable_of(statement) is not None else None
    return isinstance(value, cst.Integer) and value.value == "0"
