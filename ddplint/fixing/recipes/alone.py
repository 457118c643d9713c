"""Conditions that say whether there is one process or several."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.code.scopes import returned
from ddplint.fixing.code.shape import constant, key_of, text_of
from ddplint.fixing.code.site import Site
from ddplint.source.tree import dotted


def is_alone(site: Site, node: cst.BaseExpression, depth: int) -> bool:
    """Whether ``node`` says that there is one process only."""
    if isinstance(node, cst.BooleanOperation):
        return is_alone(site, node.left, depth - 1) and is_alone(site, node.right, depth - 1)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return _is_parallel(site, node.expression, depth - 1)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
        one = isinstance(operator, (cst.Equal, cst.LessThanEqual)) and constant(right) == "1"
        return one and _is_world_size(site, node.left, depth - 1)
    return False


def _is_parallel(site: Site, node: cst.BaseExpression, depth: int) -> bool:
    """Whether ``node`` says that there are several processes, or a process group."""
    if depth <= 0:
        return False
    if isinstance(node, cst.Call):
        helper = site.local_function(node.func)
        if helper is not None and not node.args:
            values = [value for value in returned(helper) if dotted(value) != "False"]
            outcome = [value for value in values if dotted(value) != "True"]
            return bool(values) and all(_is_parallel(site.moved(helper.body), value, depth - 1) for value in outcome)
        return site.qualified(node.func) in ("torch.distributed.is_initialized", "torch.distributed.is_available")
    if isinstance(node, cst.BooleanOperation):
        return _is_parallel(site, node.left, depth - 1) and _is_parallel(site, node.right, depth - 1)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
        several = isinstance(operator, (cst.GreaterThan, cst.NotEqual)) and constant(right) == "1"
        return several and _is_world_size(site, node.left, depth - 1)
    values = [value for value in site.values_of(node) if dotted(value) not in ("True", "False")]
    return bool(values) and all(_is_parallel(site, value, depth - 1) for value in values)


def _is_world_size(site: Site, node: cst.BaseExpression, depth: int) -> bool:
    if depth <= 0:
        return False
    if isinstance(node, cst.Call):
        name = site.qualified(node.func)
        if dotted(node.func) == "int" and len(node.args) == 1:
            return _is_world_size(site, node.args[0].value, depth - 1)
        if name in ("os.getenv", "os.environ.get") and node.args:
            return text_of(node.args[0].value) == "WORLD_SIZE"
        return name.rpartition(".")[2] == "get_world_size"
    if isinstance(node, cst.Subscript):
        key = key_of(node)
        return site.qualified(node.value) == "os.environ" and key is not None and text_of(key) == "WORLD_SIZE"
    if isinstance(node, cst.IfExp):
        rest = [value for value in (node.body, node.orelse) if constant(value) != "1"]
        return bool(rest) and all(_is_world_size(site, value, depth - 1) for value in rest)
    row = site.known(node)
    if row is not None:
        return row.name.rpartition(".")[2] in ("num_processes", "world_size")
    values = [value for value in site.values_of(node) if constant(value) != "1"]
    return bool(values) and all(_is_world_size(site, value, depth - 1) for value in values)
