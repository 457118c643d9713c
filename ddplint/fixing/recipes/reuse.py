"""What a file already has and a rewrite should use: its own test for rank 0, its own barrier."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.findings.edits import Edit
from ddplint.fixing.code.logic import conjuncts
from ddplint.fixing.code.scopes import own_nodes, targets
from ddplint.fixing.code.shape import expression
from ddplint.fixing.code.site import Built, Code, Site, class_of
from ddplint.fixing.recipes.certain import group_surely_exists
from ddplint.fixing.recipes.passed import is_set_here
from ddplint.fixing.recipes.ranks import asks_for_rank_zero, depends_on_rank, is_global_rank, is_rank_zero_test
from ddplint.source.ancestry import descend, nodes_of
from ddplint.source.calls import calls_in
from ddplint.source.tree import code_of, dotted

if TYPE_CHECKING:
    from ddplint.analysis.trace.presence import Presence


_PREDICATES = ("is_main_process", "is_global_zero")
_BARRIERS = ("wait_for_everyone", "barrier")
_ASKS_FIRST = frozenset({"is_available", "is_initialized", "get_world_size"})


# The test for rank 0


def rank_test(site: Site, *, known: Iterable[cst.BaseExpression] = ()) -> Built:
    """An expression that is true at ``site`` on global rank 0 only, and on a single process without a group.

    The file's own test is used where its names surely exist there: one that guards code nearby before one
    that guards code elsewhere, a name or attribute before a comparison; then ``rank == 0`` with its own rank;
    then the process group is asked. ``known`` are conditions of the file that the walk saw only rank 0 pass, as an
    imported ``is_main_process()``; whether a call works without a group is not known.
    """
    best: tuple[tuple[object, ...], cst.BaseExpression] | None = None
    there = group_surely_exists(site)
    for node, guards in _candidates(site, [one for one in known if there or not isinstance(one, cst.Call)]):
        text = _text(site, node)
        if "\n" in text or not _usable(site, node) or not (there or _works_alone(site, node)):
            continue
        score = (*_distance(site, node, guards), _weight(node), len(text), text)
        if best is None or score < best[0]:
            best = score, node
    if best is not None:
        return Built(_bare(best[1]))
    return _asked(site)


def imported_tests(site: Site, presence: Presence | None) -> list[cst.BaseExpression]:
    """Calls of the file that rank 0 alone passed, of helpers of other files that ask for rank 0 and nothing else.

    That a call held on rank 0 alone is not enough: a helper may ask for an option too, which held there and not here.
    """
    seen = presence.first_only.items() if presence is not None else ()
    return [
        call
        for call, one in seen
        if one.file is site.file and asks_for_rank_zero(Site(one.helper_file, one.helper.body), one.helper)
    ]


def _asked(site: Site) -> Built:
    rank = site.name("torch.distributed.get_rank")
    test = f"{code_of(rank.expression)}() == 0"
    if group_surely_exists(site):
        return Built(cst.parse_expression(test), rank.edits)
    known = site.name("torch.distributed.is_initialized")
    return Built(cst.parse_expression(f"not {code_of(known.expression)}() or {test}"), (*known.edits, *rank.edits))


def _candidates(site: Site, known: list[cst.BaseExpression]) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """Tests for rank 0, and whether each of them guards code already."""
    yield from ((node, True) for node in known)
    guards: list[cst.If | cst.While | cst.IfExp] = [
        *site.tree.nodes(cst.If),
        *site.tree.nodes(cst.While),
        *site.tree.nodes(cst.IfExp),
    ]
    for node in (part for guard in guards for part in conjuncts(guard.test)):
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            node = node if is_rank_zero_test(site.moved(node), node) else node.expression
        if is_rank_zero_test(site.moved(node), node):
            yield node, True
    for node in _named(site):
        if is_rank_zero_test(site, node):
            yield node, False
    for node in _named(site):
        if is_global_rank(site, node):
            yield from ((test, False) for test in _comparisons(node) if is_rank_zero_test(site, test))


def _comparisons(rank: cst.BaseExpression) -> Iterator[cst.Comparison]:
    """``rank == 0``, and ``rank in (-1, 0)`` for a rank that is -1 in a run of one process; the first that fits."""
    yield cst.Comparison(rank, [cst.ComparisonTarget(cst.Equal(), cst.Integer("0"))])
    both = cst.parse_expression("(-1, 0)")
    yield cst.Comparison(rank, [cst.ComparisonTarget(cst.In(), both)])


def _named(site: Site) -> Iterator[cst.BaseExpression]:
    """Everything with a name at the site: variables, calls of helpers, attributes of ``self`` and of known objects."""
    for node in _variables(site):
        yield node
        kind = site.type_of(node)
        yield from (cst.Attribute(node, cst.Name(name)) for name in _PREDICATES if kind and _has(site, kind, name))


def _variables(site: Site) -> Iterator[cst.Name | cst.Attribute | cst.Call]:
    for scope in site.scopes.visible_scopes(site.node):
        for name, bindings in site.scopes.bindings(scope).items():
            is_function = any(isinstance(binding.node, cst.FunctionDef) for binding in bindings)
            yield cst.Call(cst.Name(name)) if is_function else cst.Name(name)
    for name in sorted(site.scopes.attributes):
        if not name.startswith("self."):
            yield expression(name)
    if site.owner is not None and _has_self(site.function):
        for name in sorted({found for found in map(dotted, _targets(site.owner)) if found.startswith("self.")}):
            yield expression(name)
        for node in own_nodes(site.owner):
            if isinstance(node, cst.FunctionDef):
                method = cst.Attribute(cst.Name("self"), cst.Name(node.name.value))
                yield method if node.decorators else cst.Call(method)


def _targets(inside: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for node in descend(inside):
        if type(node) is cst.Assign:
            yield from (part for target in node.targets for part in targets(target.target))
        elif type(node) is cst.AnnAssign:
            yield node.target


def _has(site: Site, kind: str, name: str) -> bool:
    return site.knowledge.lookup(f"{kind}.{name}") is not None


def _has_self(function: cst.FunctionDef | None) -> bool:
    if function is None:
        return False
    params = [*function.params.posonly_params, *function.params.params]
    return bool(params) and params[0].name.value == "self"


def _usable(site: Site, node: cst.BaseExpression) -> bool:
    """Whether every name in ``node`` means the same at the site, and has its value by then."""
    for name in _roots(node):
        if name.value == "self":
            if not _same_self(site, node):
                return False
            continue
        here = site.scopes.lookup(name.value, site.node)
        there = site.scopes.lookup(name.value, name) if name in site.tree else here
        if here is None or there is None:
            if here is not there or not hasattr(builtins, name.value):
                return False
        elif here[0] is not there[0] or not site.scopes.available(name.value, site.node):
            return False
    attributes = list(nodes_of(node, cst.Attribute))
    return all(_set_before(site, step) and is_set_here(site, step) for step in attributes)


def _works_alone(site: Site, node: cst.BaseExpression, depth: int = 3) -> bool:
    """Whether a test does not raise where there is no process group: it asks for one first, or for something else."""
    if isinstance(node, cst.BooleanOperation) and _asks_for_group(site, node.left):
        return True
    asked: list[cst.Call | cst.Attribute] = []
    for one in descend(node):
        if isinstance(one, cst.Call) or (isinstance(one, cst.Attribute) and site.local_function(one) is not None):
            asked.append(one)
    return all(_call_works_alone(site, one, depth) for one in asked)


def _asks_for_group(site: Site, node: cst.BaseExpression) -> bool:
    calls = calls_in(node)
    return any(site.qualified(one.func).rpartition(".")[2] in ("is_initialized", "is_available") for one in calls)


def _call_works_alone(site: Site, call: cst.Call | cst.Attribute, depth: int) -> bool:
    """The same for a call, or a property."""
    function = call.func if isinstance(call, cst.Call) else call
    if site.qualified(function).startswith("torch.distributed.get_"):
        return False
    helper = site.local_function(function) if depth else None
    if helper is None:
        return True
    inner = site.moved(helper.body)
    calls = [one for one in own_nodes(helper) if isinstance(one, cst.Call)]
    asks = any(_asks_for_group(inner, one) for one in calls)
    return asks or all(_call_works_alone(inner, one, depth - 1) for one in calls)


def _roots(node: cst.BaseExpression) -> Iterator[cst.Name]:
    stack: list[cst.CSTNode] = [node]
    while stack:
        step = stack.pop()
        if isinstance(step, cst.Name):
            yield step
        elif isinstance(step, (cst.Attribute, cst.Arg)):
            stack.append(step.value)
        else:
            stack.extend(child for child in step.children if isinstance(child, cst.CSTNode))


def _same_self(site: Site, node: cst.BaseExpression) -> bool:
    there = class_of(site.tree, node) if node in site.tree else site.owner
    return site.owner is not None and there is site.owner and _has_self(site.function)


def _set_before(site: Site, node: cst.Attribute) -> bool:
    """An attribute that the site's own function assigns must be assigned above the site."""
    name = dotted(node)
    if not name or site.function is None:
        return True
    own = [step for step in _targets(site.function.body) if dotted(step) == name]
    below = [step for step in own if site.tree.order(step) >= site.tree.order(site.node)]
    return not own or (not below and any(_above(site, step) for step in own))


def _above(site: Site, target: cst.CSTNode) -> bool:
    block = site.tree.block(site.tree.statement(target))
    return block is not None and site.tree.contains(block, site.node)


def _distance(site: Site, node: cst.BaseExpression, guards: bool) -> tuple[bool, bool, bool]:
    inside = node in site.tree
    near = inside and site.function is not None and site.tree.contains(site.function, node)
    same = inside and site.owner is not None and site.tree.contains(site.owner, node)
    return not (guards and near), not (guards and same), not guards


def _weight(node: cst.BaseExpression) -> int:
    return 0 if isinstance(node, (cst.Name, cst.Attribute)) else 1 if isinstance(node, cst.Call) else 2


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.deep_clone().with_changes(lpar=[], rpar=[])


def _text(site: Site, node: cst.BaseExpression) -> str:
    return site.module.code_for_node(node)


# The barrier


def barrier_statement(site: Site) -> Code:
    """A barrier as this file writes one, that also works at ``site`` on one process without a process group.

    ``accelerator.wait_for_everyone()`` where there is an accelerator, the file's own guarded helper where it has
    one, ``dist.barrier()`` where a process group surely exists, otherwise that inside a test for the group.
    """
    own = next(_own_barriers(site), None)
    if own is not None:
        return Code((_call_line(own),))
    barrier = site.name("torch.distributed.barrier")
    line = _call_line(cst.Call(barrier.expression))
    if group_surely_exists(site):
        return Code((line,), barrier.edits)
    available, initialized = site.name("torch.distributed.is_available"), site.name("torch.distributed.is_initialized")
    test = cst.BooleanOperation(cst.Call(available.expression), cst.And(), cst.Call(initialized.expression))
    edits: tuple[Edit, ...] = (*available.edits, *initialized.edits, *barrier.edits)
    return Code((cst.If(test, cst.IndentedBlock([line])),), edits)


def _call_line(call: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Expr(call)])


def _own_barriers(site: Site) -> Iterator[cst.Call]:
    for node in _variables(site):
        if not isinstance(node, cst.Call) and (kind := site.type_of(node)):
            for name in _BARRIERS:
                call = cst.Call(cst.Attribute(node, cst.Name(name)))
                if _has(site, kind, name) and _usable(site, call):
                    yield call
    yield from _used_barriers(site)
    for node in _variables(site):
        if isinstance(node, cst.Call) and _is_barrier_helper(site, node) and _usable(site, node):
            yield node


def own_object(site: Site, method: str) -> cst.BaseExpression | None:
    """An object of a known class that exists at the site and has this method: ``accelerator``, ``self.fabric``."""
    for node in _variables(site):
        kind = "" if isinstance(node, cst.Call) else site.type_of(node)
        if kind and _has(site, kind, method) and _usable(site, node):
            return node
    return None


def _used_barriers(site: Site) -> Iterator[cst.Call]:
    """Barriers of injected objects: ``self.accelerator.wait_for_everyone()``, ``trainer.strategy.barrier()``."""
    for node in site.tree.nodes(cst.Call):
        if not node.args and isinstance(node.func, cst.Attribute):
            name = dotted(node.func)
            if name.endswith((".wait_for_everyone", ".strategy.barrier", "fabric.barrier")) and _usable(site, node):
                yield node.deep_clone()


def _is_barrier_helper(site: Site, call: cst.Call) -> bool:
    """A function of this file that asks whether there is a group, then meets all ranks, and does nothing else."""
    helper = site.local_function(call.func)
    if helper is None or site.tree.contains(helper, site.node):
        return False
    return site.once("barrier", call.func, lambda: _only_meets(site.moved(helper.body), helper), False)


def _only_meets(inside: Site, helper: cst.FunctionDef) -> bool:
    calls = [node for node in own_nodes(helper) if isinstance(node, cst.Call)]
    if not any(dotted(node.func).endswith("barrier") for node in calls):
        return False
    required = [param for param in helper.params.params if param.default is None and param.name.value != "self"]
    names = [inside.qualified(node.func) for node in calls]
    last = {name.rpartition(".")[2] for name in names}
    if required or "torch.distributed.barrier" not in names or last - _ASKS_FIRST - {"barrier"} or "" in last:
        return False
    tests = [node.test for node in own_nodes(helper) if isinstance(node, (cst.If, cst.IfExp, cst.While))]
    return bool(last & _ASKS_FIRST) and not any(depends_on_rank(inside, test) for test in tests)
