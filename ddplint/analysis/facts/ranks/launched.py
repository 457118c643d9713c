"""Values that are worked out of a launcher's variables alone: how many processes there are, and which one this is."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import libcst as cst

from ddplint.analysis.trace import uniformity
from ddplint.fixing.code.scopes import returned
from ddplint.fixing.code.shape import key_of, text_of
from ddplint.fixing.code.site import Site
from ddplint.knowledge import tables
from ddplint.source.tree import dotted

_DEPTH = 5
"""Names and calls that are followed from one to the next."""
_CONVERSIONS = ("int", "bool", "str")
"""What the group says, which the launcher told it."""
_CONSTANTS = ("True", "False", "None")


def is_from_launcher(site: Site, node: cst.BaseExpression, makers: Collection[cst.CSTNode | None] = ()) -> bool:
    """Whether a value holds what a launcher set in the environment, and nothing else but constants.

    Parameters: ``makers``, calls that say by what they give back whether they made the group.
    """
    return _Reader(site, makers).reads(node, _DEPTH) is True


class _Reader:
    """Asks of an expression whether it reads the launcher; ``None``: there is something else in it."""

    def __init__(self, site: Site, makers: Collection[cst.CSTNode | None]) -> None:
        self.site = site
        self.makers = {id(node) for node in makers}

    def reads(self, node: cst.BaseExpression, depth: int) -> bool | None:
        if _is_constant(node):
            return False
        if not depth:
            return None
        if isinstance(node, cst.Subscript):
            return self._variable(node.value, key_of(node))
        if isinstance(node, cst.Comparison):
            return self._comparison(node, depth)
        if isinstance(node, cst.Call):
            return self._call(node, depth)
        if isinstance(node, (cst.Name, cst.Attribute)):
            values = self.site.values_of(node)
            return self._all(values, depth - 1) if values else self._unpacked(node, depth - 1)
        return self._all(_operands(node), depth) if _operands(node) else None

    def _all(self, nodes: Iterable[cst.BaseExpression], depth: int) -> bool | None:
        found = [self.reads(node, depth) for node in nodes]
        return None if None in found else any(found)

    def _unpacked(self, node: cst.CSTNode, depth: int) -> bool | None:
        """The same of a name that is one of several which a function of this file gives back together."""
        found = self.site.scopes.lookup(node.value, self.site.here(node)) if isinstance(node, cst.Name) else None
        made = found[1][0].node if found is not None and len(found[1]) == 1 else None
        if not isinstance(made, cst.Assign) or len(made.targets) != 1 or not isinstance(made.value, cst.Call):
            return None
        names = [dotted(one) for one in _elements(made.targets[0].target)]
        function = self.site.local_function(made.value.func)
        given = [_elements(one) for one in returned(function)] if function is not None else []
        if function is None or names.count(dotted(node)) != 1 or not given:
            return None
        if any(len(parts) != len(names) for parts in given):
            return None
        number = names.index(dotted(node))
        inner = _Reader(self.site.moved(function.body), ())._all([parts[number] for parts in given], depth)
        return inner if inner is None else inner or id(made.value) in self.makers

    def _comparison(self, node: cst.Comparison, depth: int) -> bool | None:
        last = node.comparisons[-1]
        if isinstance(last.operator, (cst.In, cst.NotIn)):
            return self._variable(last.comparator, node.left)
        return self._all((node.left, *(one.comparator for one in node.comparisons)), depth)

    def _call(self, node: cst.Call, depth: int) -> bool | None:
        name = self.site.qualified(node.func)
        if name in ("os.getenv", "os.environ.get") and node.args:
            return self._variable(None, node.args[0].value)
        if dotted(node.func) in _CONVERSIONS and len(node.args) == 1:
            return self.reads(node.args[0].value, depth)
        if name in tables.names("asks_the_group"):
            return True
        function = self.site.local_function(node.func)
        given = returned(function) if function is not None else []
        if function is None or not given:
            return None
        inner = _Reader(self.site.moved(function.body), ())._all(given, depth - 1)
        return inner if inner is None else inner or id(node) in self.makers

    def _variable(self, holder: cst.BaseExpression | None, key: cst.BaseExpression | None) -> bool | None:
        """Whether ``os.environ[key]`` is one that a launcher sets for each process."""
        if holder is not None and self.site.qualified(holder) != "os.environ":
            return None
        name = text_of(key) if key is not None else ""
        row = self.site.knowledge.env(name) if name else None
        known = row is not None and (row.rank or (row.reader and tables.names("launchers").issuperset(row.reader)))
        return True if known or (key is not None and uniformity.names_ranks(key)) else None


def _is_constant(node: cst.BaseExpression) -> bool:
    plain = isinstance(node, (cst.BaseNumber, cst.SimpleString, cst.UnaryOperation)) or dotted(node) in _CONSTANTS
    inner = node.expression if isinstance(node, cst.UnaryOperation) else None
    return plain and (inner is None or _is_constant(inner))


def _elements(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What stands in a tuple; empty for anything else, and where a star is in it."""
    parts = node.elements if isinstance(node, cst.Tuple) else ()
    return [] if any(isinstance(one, cst.StarredElement) for one in parts) else [one.value for one in parts]


def _operands(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What an operation or a choice is made of; empty for anything else."""
    if isinstance(node, (cst.BooleanOperation, cst.BinaryOperation)):
        return [node.left, node.right]
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    return [node.test, node.body, node.orelse] if isinstance(node, cst.IfExp) else []
