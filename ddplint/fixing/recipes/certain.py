"""Whether a process group surely exists at a place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.fixing.code.logic import conjuncts
from ddplint.fixing.code.site import Site, method_of
from ddplint.source.tree import children

_DEPTH = 3
_NEEDS_GROUP = frozenset({"init", "collective", "point_to_point", "rank_source", "uniform_source", "wrapper"})
_CONDITIONAL = (cst.Lambda, cst.FunctionDef, cst.ClassDef, cst.Try, cst.TryStar, cst.Match, cst.BaseComp)


def group_surely_exists(site: Site) -> bool:
    """Whether code that cannot run without a process group surely ran before ``site``.

    That is an unconditional ``init_process_group``, ``get_rank``, collective or wrapping above it, in the same
    function, around it, in a helper called there or in ``__init__``; or a test of ``is_initialized`` around it.
    """
    if _inside_test(site):
        return True
    before = list(_ran_before(site))
    constructor = method_of(site.owner, "__init__") if site.owner is not None and site.function is not None else None
    if constructor is not None and constructor is not site.function:
        before += list(children(constructor.body))
    return any(_needs_group(site, statement, _DEPTH) for statement in before)


def _inside_test(site: Site) -> bool:
    for below, step in site.tree.upward(site.node):
        if isinstance(step, cst.If) and below is step.body:
            for test in conjuncts(step.test):
                if isinstance(test, cst.Call) and site.qualified(test.func) == "torch.distributed.is_initialized":
                    return True
    return False


def _ran_before(site: Site) -> Iterator[cst.CSTNode]:
    """The statements above the site in the blocks around it."""
    for below, step in site.tree.upward(site.node):
        if isinstance(step, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite, cst.SimpleStatementLine)):
            for statement in step.body:
                if statement is below:
                    break
                yield statement


def _needs_group(site: Site, statement: cst.CSTNode, depth: int) -> bool:
    for node in _unconditional(statement):
        if isinstance(node, cst.Call) and (_is_group_call(site, node) or _helper_needs_group(site, node, depth)):
            return True
    return False


def _is_group_call(site: Site, call: cst.Call) -> bool:
    row = site.known(call.func)
    if row is None or not row.name.startswith(("torch.distributed.", "torch.nn.parallel.DistributedDataParallel")):
        return False
    last = row.name.rpartition(".")[2]
    return bool(_NEEDS_GROUP & set(row.roles)) and not last.startswith("is_") and row.form in ("function", "class")


def _helper_needs_group(site: Site, call: cst.Call, depth: int) -> bool:
    helper = site.local_function(call.func)
    if helper is None or not depth:
        return False
    inner = site.moved(helper.body)
    for statement in children(helper.body):
        if _needs_group(inner, statement, depth - 1):
            return True
        if any(isinstance(node, cst.Return) for node in _all(statement)):
            return False
    return False


def _unconditional(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes that surely run when the statement completes."""
    stack = [statement]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, (cst.If, cst.While, cst.IfExp)):
            stack.append(node.test)
        elif isinstance(node, cst.For):
            stack.append(node.iter)
        elif isinstance(node, cst.BooleanOperation):
            stack.append(node.left)
        elif not isinstance(node, _CONDITIONAL):
            stack.extend(children(node))


def _all(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [node]
    while stack:
        step = stack.pop()
        yield step
        if not isinstance(step, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            stack.extend(children(step))
