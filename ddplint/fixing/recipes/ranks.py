"""Which expressions of a file are the global rank, and which are its own test for rank 0."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import libcst as cst

from ddplint.fixing.code.scopes import own_nodes, returned
from ddplint.fixing.code.shape import constant, is_pure, key_of, only_asks, operands, text_of
from ddplint.fixing.code.site import Site, class_of
from ddplint.fixing.recipes.alone import is_alone
from ddplint.knowledge import Api
from ddplint.knowledge.which_rank import kind_of_predicate, kind_of_source
from ddplint.source.tree import code_of, dotted

_DEPTH = 6
_SURE_PREDICATES = frozenset({"is_main_process", "is_world_process_zero", "is_global_zero"})
"""Properties of trainers and accelerators, so distinctive that they are known on any object."""

_FLIPPED: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.GreaterThan,
    cst.GreaterThan: cst.LessThan,
    cst.LessThanEqual: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.LessThanEqual,
}


# The rank


def is_global_rank(site: Site, node: cst.BaseExpression, depth: int = _DEPTH) -> bool:
    """Whether ``node`` is the global rank (or 0 where there is only one process)."""
    if not depth:
        return False
    if isinstance(node, cst.Call):
        return _rank_call(site, node, depth)
    if isinstance(node, cst.Subscript):
        return site.qualified(node.value) == "os.environ" and _global_env(site, key_of(node))
    if isinstance(node, cst.IfExp):
        return _all_ranks(site, [node.body, node.orelse], depth)
    if isinstance(node, (cst.Name, cst.Attribute)):
        return site.once("rank", node, lambda: _rank_name(site, node), False)
    return False


def _rank_name(site: Site, node: cst.Name | cst.Attribute) -> bool:
    row = site.known(node)
    if row is not None:
        return row.form in ("property", "value") and _gives_global(row)
    values = site.values_of(node)
    return (bool(values) and _all_ranks(site, values, _DEPTH)) or _is_rank_parameter(site, node)


def _all_ranks(site: Site, values: Iterable[cst.BaseExpression], depth: int) -> bool:
    rest = [value for value in values if constant(value) not in ("0", "-1")]
    return bool(rest) and all(is_global_rank(site, value, depth - 1) for value in rest)


def _rank_call(site: Site, node: cst.Call, depth: int) -> bool:
    name = site.qualified(node.func)
    if dotted(node.func) == "int" and len(node.args) == 1:
        return is_global_rank(site, node.args[0].value, depth - 1)
    if name in ("os.getenv", "os.environ.get") and node.args:
        return _global_env(site, node.args[0].value)
    row = site.knowledge.lookup(name) if name else None
    if row is not None:
        return _gives_global(row)
    helper = site.local_function(node.func)
    if helper is None or len(_required(helper)) > 0:
        return False
    return _all_ranks(site.moved(helper.body), returned(helper), depth)


def _gives_global(row: Api) -> bool:
    return "rank_source" in row.roles and kind_of_source(row) == "global" and "to_global_rank" not in row.also


def _is_first_of_all(row: Api) -> bool:
    return "rank_predicate" in row.roles and kind_of_predicate(row) == "main"


def _global_env(site: Site, key: cst.BaseExpression | None) -> bool:
    name = key.evaluated_value if isinstance(key, cst.SimpleString) else None
    row = site.knowledge.env(name) if isinstance(name, str) else None
    return row is not None and row.rank == "global" and not _starts_others(site)


def _starts_others(site: Site) -> bool:
    """Whether the file starts the processes of a node itself: all of them find what their launcher was given."""
    calls = site.tree.nodes(cst.Call)
    return site.once("starts", site.tree.module, lambda: any(map(partial(_is_launch, site), calls)), False)


def _is_launch(site: Site, call: cst.Call) -> bool:
    row = site.known(call.func)
    return row is not None and row.kind == "launcher"


def _is_rank_parameter(site: Site, node: cst.Name | cst.Attribute) -> bool:
    """A parameter that goes where only a rank goes, or that receives one from every caller in this file."""
    found = site.scopes.lookup(node.value, site.here(node)) if isinstance(node, cst.Name) else None
    if found is None or not isinstance(found[0], cst.FunctionDef):
        return False
    function, bindings, name = found[0], found[1], found[1][0].name
    if len(bindings) != 1 or bindings[0].kind != "param" or name not in _parameters(function):
        return False
    return _goes_into_rank(site, function, name) or _comes_from_rank(site, function, name)


def _parameters(function: cst.FunctionDef) -> list[str]:
    params = function.params
    return [param.name.value for param in (*params.posonly_params, *params.params, *params.kwonly_params)]


def _required(function: cst.FunctionDef) -> list[str]:
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return [param.name.value for param in every if param.default is None and param.name.value != "self"]


def _goes_into_rank(site: Site, function: cst.FunctionDef, name: str) -> bool:
    for node in own_nodes(function):
        if not isinstance(node, cst.Call):
            continue
        for argument in node.args:
            if argument.keyword is not None and argument.keyword.value == "rank" and dotted(argument.value) == name:
                row = site.known(node.func)
                if row is not None and row.kind in ("init", "sampler"):
                    return True
    return False


def _comes_from_rank(site: Site, function: cst.FunctionDef, name: str) -> bool:
    names = _parameters(function)
    position = names.index(name) - (1 if names[:1] == ["self"] else 0)
    owner = class_of(site.tree, function)
    called = function.name.value if function.name.value != "__init__" or owner is None else owner.name.value
    found: list[bool] = []
    for node in site.tree.nodes(cst.Call):
        if node.args and dotted(node.args[0].value) == called:
            row = site.known(node.func)
            if row is not None and row.kind == "launcher":
                found.append(row.rank_param == position)
        if dotted(node.func) == called:
            given = _argument(node, position, name)
            found.append(given is not None and is_global_rank(site.moved(node), given))
    return bool(found) and all(found)


def _argument(call: cst.Call, position: int, name: str) -> cst.BaseExpression | None:
    for place, argument in enumerate(call.args):
        if argument.star:
            return None
        if (argument.keyword.value == name) if argument.keyword is not None else place == position:
            return argument.value
    return None


def rank_alone(site: Site, node: cst.CSTNode, depth: int = _DEPTH) -> frozenset[str] | None:
    """What the global rank may be in a run of one process that nobody launched; ``None`` where that is not known."""
    if not depth:
        return None
    known = constant(node) if isinstance(node, cst.BaseExpression) else ""
    if known:
        return frozenset({known})
    if isinstance(node, cst.Call):
        return _call_alone(site, node, depth)
    if isinstance(node, cst.Subscript):
        return frozenset()  # it raises
    if isinstance(node, cst.Annotation):
        return frozenset({"0"})  # a parameter that is given the rank
    if isinstance(node, cst.IfExp):
        return _every_alone(site, [node.body, node.orelse], depth)
    if isinstance(node, (cst.Name, cst.Attribute)):
        values = [] if site.known(node) is not None else site.values_of(node)
        return _every_alone(site, values, depth) if values else frozenset({"0"})
    return None


def _every_alone(site: Site, values: Iterable[cst.BaseExpression], depth: int) -> frozenset[str] | None:
    found = [rank_alone(site, value, depth - 1) for value in values]
    return None if None in found else frozenset().union(*(one for one in found if one is not None))


def _call_alone(site: Site, node: cst.Call, depth: int) -> frozenset[str] | None:
    name = site.qualified(node.func)
    if dotted(node.func) == "int" and len(node.args) == 1:
        return _as_number(rank_alone(site, node.args[0].value, depth - 1))
    if name in ("os.getenv", "os.environ.get"):
        given = [argument.value for argument in node.args[1:2]]
        return frozenset(map(_literal, given)) if given else frozenset({"None"})
    if site.known(node.func) is not None:
        return frozenset({"0"})
    helper = site.local_function(node.func)
    return None if helper is None else _every_alone(site.moved(helper.body), returned(helper), depth)


def _literal(node: cst.BaseExpression) -> str:
    """A constant as a text: with quotes, where it is one."""
    return constant(node) or (code_of(node) if isinstance(node, cst.SimpleString) else "?")


def _as_number(values: frozenset[str] | None) -> frozenset[str] | None:
    return None if values is None else frozenset(value.strip("\"'") for value in values)


def _is_number(site: Site, node: cst.BaseExpression, depth: int = _DEPTH) -> bool:
    """Whether a rank is a number, and not the text of a variable of the environment."""
    if isinstance(node, cst.Subscript):
        return False
    if isinstance(node, cst.Call):
        return site.qualified(node.func) not in ("os.getenv", "os.environ.get")
    values = site.values_of(node) if depth and isinstance(node, (cst.Name, cst.Attribute)) else []
    return all(_is_number(site, value, depth - 1) for value in values)


# Tests for rank 0


def is_rank_zero_test(site: Site, node: cst.BaseExpression, depth: int = _DEPTH) -> bool:
    """Whether ``node`` is true on global rank 0, and on a single process, and nowhere else."""
    if not depth:
        return False
    if isinstance(node, cst.Comparison):
        return _compares_to_zero(site, node)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return _is_rank_and(site, node.expression, frozenset({"0"}))
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        if is_rank_zero_test(site, node.right, depth - 1):
            return is_alone(site, node.left, depth) or is_rank_zero_test(site, node.left, depth - 1)
        return False
    if isinstance(node, cst.IfExp):
        return _all_tests(site, [node.body, node.orelse], depth)
    if isinstance(node, cst.Call):
        return _test_call(site, node, depth)
    if isinstance(node, (cst.Name, cst.Attribute)):
        return site.once("rank zero", node, lambda: _test_name(site, node), False)
    return False


def asks_for_rank_zero(site: Site, helper: cst.FunctionDef) -> bool:
    """Whether all that a function without required arguments returns is a test for rank 0; ``site``: in its body."""
    return not _required(helper) and _all_tests(site, returned(helper), _DEPTH)


def _all_tests(site: Site, values: Iterable[cst.BaseExpression], depth: int) -> bool:
    rest = [value for value in values if dotted(value) != "True"]
    return bool(rest) and all(is_rank_zero_test(site, value, depth - 1) for value in rest)


def _test_name(site: Site, node: cst.Name | cst.Attribute) -> bool:
    row = site.known(node)
    if row is not None:
        return row.form == "property" and _is_first_of_all(row)
    values = site.values_of(node)
    if values:
        return _all_tests(site, values, _DEPTH)
    if isinstance(node, cst.Attribute):
        method = site.local_function(node)
        if method is not None:
            is_property = any(dotted(item.decorator) == "property" for item in method.decorators)
            return is_property and _all_tests(site.moved(method.body), returned(method), _DEPTH)
        return node.attr.value in _SURE_PREDICATES and dotted(node.value) != "self"
    return False


def _test_call(site: Site, node: cst.Call, depth: int) -> bool:
    if dotted(node.func) == "bool" and len(node.args) == 1:
        return is_rank_zero_test(site, node.args[0].value, depth - 1)
    if node.args:
        return False
    row = site.known(node.func)
    if row is not None:
        return row.form in ("function", "method") and _is_first_of_all(row)
    helper = site.local_function(node.func)
    if helper is not None:
        return not _required(helper) and _all_tests(site.moved(helper.body), returned(helper), depth)
    return isinstance(node.func, cst.Attribute) and node.func.attr.value in _SURE_PREDICATES


def _compares_to_zero(site: Site, node: cst.Comparison) -> bool:
    if len(node.comparisons) != 1:
        return False
    left, operator, right = node.left, type(node.comparisons[0].operator), node.comparisons[0].comparator
    if constant(left):
        left, operator, right = right, _FLIPPED.get(operator, operator), left
    if operator is cst.In:
        inside = {constant(item.value) for item in getattr(right, "elements", ())}
        return "0" in inside and inside <= {"0", "-1"} and _is_rank_and(site, left, frozenset(inside))
    test = operator, constant(right)
    if test == (cst.Equal, "0"):
        return _is_rank_and(site, left, frozenset({"0"}))
    return test in ((cst.LessThanEqual, "0"), (cst.LessThan, "1")) and _is_rank_and(site, left, frozenset({"0", "-1"}))


def _is_rank_and(site: Site, node: cst.BaseExpression, alone: frozenset[str | None]) -> bool:
    """Whether ``node`` is the global rank as a number, and one of these in a run of one process."""
    if not is_global_rank(site, node) or not _is_number(site, node):
        return False
    values = rank_alone(site, node)
    return values is not None and values <= alone


# Anything that differs by rank


def depends_on_rank(site: Site, test: cst.BaseExpression, depth: int = _DEPTH) -> bool:
    """Whether a condition looks at who this process is: global or local rank, or a test for one of them.

    Followed through arithmetic, comparisons and assignments, not through what calls do with a rank.
    """
    if not depth:
        return False
    if isinstance(test, cst.Call):
        return _asks_rank(site, test, depth)
    if isinstance(test, cst.Subscript):
        return site.qualified(test.value) == "os.environ" and _any_env(site, key_of(test))
    if isinstance(test, (cst.Name, cst.Attribute)):
        return site.once("differs", test, lambda: _name_depends(site, test), False)
    return any(depends_on_rank(site, part, depth) for part in operands(test))


def _name_depends(site: Site, test: cst.Name | cst.Attribute) -> bool:
    row = site.known(test)
    if row is not None:
        return _tells_rank(row)
    if is_global_rank(site, test) or is_rank_zero_test(site, test):
        return True
    return any(depends_on_rank(site, value) for value in site.values_of(test))


def _asks_rank(site: Site, call: cst.Call, depth: int) -> bool:
    if site.qualified(call.func) in ("os.getenv", "os.environ.get") and call.args:
        return _any_env(site, call.args[0].value)
    row = site.known(call.func)
    if row is not None:
        return _tells_rank(row)
    if dotted(call.func) in ("int", "bool", "str", "abs", "min", "max"):
        return any(depends_on_rank(site, argument.value, depth) for argument in call.args)
    helper = site.local_function(call.func)
    if helper is not None:
        inner = site.moved(helper.body)
        return any(depends_on_rank(inner, value, depth - 1) for value in returned(helper))
    return is_rank_zero_test(site, call)


def is_steady(site: Site, test: cst.BaseExpression) -> bool:
    """Whether a condition only looks at things, also through helpers of the file: asking it again changes nothing."""
    return is_pure(test, lambda call: _asks_only(site.moved(call), call, _DEPTH))


def _asks_only(site: Site, call: cst.Call, depth: int) -> bool:
    row = site.known(call.func)
    if row is not None:
        return _tells_rank(row)
    helper = site.local_function(call.func)
    if helper is None:
        return isinstance(call.func, cst.Attribute) and is_rank_zero_test(site, call)
    inner = [node for node in own_nodes(helper) if isinstance(node, cst.Call)]
    return depth > 0 and all(only_asks(one) or _asks_only(site.moved(one), one, depth - 1) for one in inner)


def _tells_rank(row: Api) -> bool:
    return bool({"rank_source", "rank_predicate"} & set(row.roles))


def _any_env(site: Site, key: cst.BaseExpression | None) -> bool:
    row = site.knowledge.env(text_of(key)) if key is not None else None
    return row is not None and bool(row.rank)
