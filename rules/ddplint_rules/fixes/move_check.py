"""Checks that stand in a guard without belonging there."""

from __future__ import annotations

import libcst as cst

from ddplint.rule import Answer, Event, Fix, Guard, Safety
from ddplint.rule.code import Site, calls_in, depends_on_rank, descend, dotted, is_pure, reads
from ddplint.rule.fixes import CannotBuild, hoist_out_of_guard

_FILLS = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})


def moved_check(event: Event, guard: Guard) -> Answer | None:
    """How the check of a lone raise leaves the guard; ``None`` where it belongs to the guarded ranks after all."""
    site = Site(event.file, event.node)
    holder = guard.statement
    if not isinstance(holder, cst.If) or not site.tree.contains(holder, event.node):
        return None
    check = _check(site, holder)
    if _is_one_of_several(site, holder):
        return None
    if check is None or not is_pure(check.test):
        return None
    if guard.guess and not depends_on_rank(site.moved(holder.test), holder.test):
        return None
    if depends_on_rank(site.moved(check), check.test) or reads(check.test) & reads(holder.test):
        return None
    if _is_filled(site, check.test):
        return None
    try:
        edits = hoist_out_of_guard(site.moved(check), holder)
    except CannotBuild:
        return None
    return Answer(Fix("Let every rank make the check", Safety.SAFE, edits))


def _is_filled(site: Site, test: cst.BaseExpression) -> bool:
    """Whether a test looks at an attribute that methods of the file fill: with what each rank has."""
    looked_at = {path for path in reads(test) if path.startswith("self.")}
    calls = (dotted(node.func) for node in calls_in(site.file.module) if looked_at)
    return any(call.rpartition(".")[0] in looked_at and call.rpartition(".")[2] in _FILLS for call in calls)


def _is_one_of_several(site: Site, holder: cst.If) -> bool:
    """Whether the other ranks make checks of their own, in another branch."""
    if isinstance(site.tree.parent(holder), cst.If):
        return True
    others = descend(holder.orelse) if holder.orelse is not None else ()
    return any(isinstance(step, (cst.Assert, cst.Raise)) for step in others)


def _check(site: Site, holder: cst.If) -> cst.If | cst.Assert | None:
    """The statement right in the guard that raises and does nothing else: ``if …: raise`` or ``assert``."""
    if isinstance(site.node, cst.Assert):
        return site.node
    for step in site.tree.ancestors(site.node):
        if step is holder:
            return None
        if isinstance(step, cst.If):
            only = step.body.body
            small = only[0].body if len(only) == 1 and isinstance(only[0], cst.SimpleStatementLine) else only
            return step if step.orelse is None and len(small) == 1 and small[0] is site.node else None
        if not isinstance(step, (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            return None
    return None
