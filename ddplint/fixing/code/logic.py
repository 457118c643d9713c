"""Conditions put together and turned around as a person would write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from ddplint.source.tree import dotted


def conjuncts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The operands of a chain of ``and``, in the order they are evaluated; the test itself if it is none."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return [*conjuncts(test.left), *conjuncts(test.right)]
    return [test]


def joined(parts: Sequence[cst.BaseExpression]) -> cst.BaseExpression:
    """The parts with ``and`` between them; at least one."""
    first, *rest = [_grouped(part) if len(parts) > 1 else part for part in parts]
    for part in rest:
        first = cst.BooleanOperation(first, cst.And(), part)
    return first


def _grouped(part: cst.BaseExpression) -> cst.BaseExpression:
    loose = isinstance(part, (cst.IfExp, cst.NamedExpr, cst.Lambda)) or (
        isinstance(part, cst.BooleanOperation) and isinstance(part.operator, cst.Or)
    )
    return part.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if loose and not part.lpar else part


def negated(test: cst.BaseExpression) -> cst.BaseExpression:
    """The opposite of a condition, as a person would write it: ``rank != 0`` for ``rank == 0``."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        opposite = _OPPOSITE.get(type(test.comparisons[0].operator))
        if opposite is not None:
            only = test.comparisons[0].with_changes(operator=opposite())
            return test.with_changes(comparisons=[only])
    if isinstance(test, (cst.BooleanOperation, cst.Comparison, cst.IfExp, cst.NamedExpr, cst.Lambda)) and not test.lpar:
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), test)


def without_not(test: cst.BaseExpression) -> cst.BaseExpression:
    """What a test turns around, or the test itself."""
    turned = isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
    return without_not(test.expression) if turned and isinstance(test, cst.UnaryOperation) else test


_OPPOSITE: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.LessThan: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.LessThan,
    cst.GreaterThan: cst.LessThanEqual,
    cst.LessThanEqual: cst.GreaterThan,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
}


def asked_for(test: cst.CSTNode, values_of: Callable[[cst.Name], Sequence[cst.CSTNode]]) -> Iterator[str]:
    """The values of which a test asks whether there is anything: ``rows``, ``len(rows) > 0``, ``best is not None``.

    Parameters: ``values_of``, what a name of the program is assigned; a test that has a name is looked at as well.
    """
    if isinstance(test, cst.UnaryOperation):
        yield from asked_for(test.expression, values_of)
    elif isinstance(test, cst.BooleanOperation):
        yield from asked_for(test.left, values_of)
        yield from asked_for(test.right, values_of)
    elif isinstance(test, cst.Comparison):
        asks = any(isinstance(target.operator, (cst.Is, cst.IsNot)) for target in test.comparisons)
        if asks or isinstance(test.left, cst.Call):
            yield from asked_for(test.left, values_of)
    elif isinstance(test, cst.Call) and dotted(test.func) in ("len", "bool") and test.args:
        yield from asked_for(test.args[0].value, values_of)
    elif isinstance(test, (cst.Name, cst.Attribute)) and (path := dotted(test)):
        yield path
        values = values_of(test) if isinstance(test, cst.Name) else ()
        if len(values) == 1 and isinstance(
            values[0], (cst.Call, cst.Comparison, cst.UnaryOperation, cst.BooleanOperation)
        ):
            yield from asked_for(values[0], lambda _: ())
