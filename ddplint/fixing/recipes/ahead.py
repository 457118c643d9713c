"""Let a call that a conditional expression keeps for some ranks run on all of them, in a statement ahead of it."""

from __future__ import annotations

import libcst as cst

from ddplint.findings.edits import Edit, InsertBefore, Replace
from ddplint.fixing.code import layout, shape
from ddplint.fixing.code.logic import conjuncts
from ddplint.fixing.code.site import CannotBuild, Site
from ddplint.fixing.recipes.ranks import depends_on_rank
from ddplint.fixing.recipes.split import result_name
from ddplint.source.ancestry import descend


def call_before(site: Site, guard: cst.IfExp | cst.BooleanOperation) -> tuple[Edit, ...]:
    """``x = f(y) if g else None`` becomes ``f_result = f(y)`` and ``x = f_result if g else None``.

    ``site`` is the call, ``guard`` the conditional expression or chain of ``and`` that it is part of. Raises
    :class:`CannotBuild` where something else than the guard decides whether the call runs, or calls that come first
    would come after it.
    """
    call = site.node
    assert isinstance(call, cst.BaseExpression)
    _check_guard(site, guard)
    statement = site.tree.statement(guard)
    head = isinstance(statement, cst.If) and site.tree.contains(statement.test, guard)
    if not (isinstance(statement, cst.SimpleStatementLine) or head) or site.tree.block(statement) is None:
        raise CannotBuild("there is no place for a statement ahead of the expression")
    _check_order(site, statement, guard)
    name = result_name(site, call)
    line = cst.SimpleStatementLine(
        [cst.Assign([cst.AssignTarget(cst.Name(name))], layout.outdented(call.deep_clone()))]
    )
    return InsertBefore(site.file, statement, (line,)), Replace(site.file, call, cst.Name(name))


def _check_guard(site: Site, guard: cst.IfExp | cst.BooleanOperation) -> None:
    """Only a test of the rank may stand between the statement and the call."""
    if isinstance(guard, cst.IfExp):
        tests, taken = [guard.test], guard.orelse if site.tree.contains(guard.orelse, site.node) else guard.body
        if site.tree.contains(guard.test, site.node):
            raise CannotBuild("the operation is not guarded by the expression")
    else:
        parts = conjuncts(guard)
        place = next(i for i, part in enumerate(parts) if site.tree.contains(part, site.node))
        tests, taken = parts[:place], parts[place]
        if not isinstance(guard.operator, cst.And) or not tests:
            raise CannotBuild("the operation is not guarded by the expression")
    if not all(shape.is_pure(test) and depends_on_rank(site.moved(test), test) for test in tests):
        raise CannotBuild("more than the rank decides whether the operation happens")
    if _conditional(site, taken):
        raise CannotBuild("the operation is part of a further conditional expression")


def _conditional(site: Site, top: cst.BaseExpression) -> bool:
    below = site.node
    for step in site.tree.lineage(site.node):
        if below is not site.node or step is not site.node:
            late = isinstance(step, cst.BooleanOperation) and below is not step.left
            chosen = isinstance(step, cst.IfExp) and below is not step.test
            if late or chosen or isinstance(step, (cst.Lambda, cst.BaseComp)):
                return True
        if step is top:
            return False
        below = step
    return True


def _check_order(site: Site, statement: cst.CSTNode, guard: cst.CSTNode) -> None:
    """Nothing that does something may come before the guard in its statement."""
    for below, step in site.tree.upward(guard):
        late = isinstance(step, cst.BooleanOperation) and below is not step.left
        chosen = isinstance(step, cst.IfExp) and below is not step.test
        if late or chosen or isinstance(step, (cst.Lambda, cst.BaseComp)):
            raise CannotBuild("more than the rank decides whether the operation happens")
        if step is statement:
            break
    first = site.tree.order(guard)
    around = set(map(id, site.tree.ancestors(guard)))
    inner = [statement.test] if isinstance(statement, cst.If) else [statement]
    for node in (node for part in inner for node in descend(part)):
        acts = isinstance(node, (cst.Call, cst.Await, cst.NamedExpr)) and not shape.is_pure(node)
        if acts and id(node) not in around and site.tree.order(node) < first:
            raise CannotBuild("other calls come before the operation in its statement")
