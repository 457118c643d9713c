"""Checks that nobody would pass: a program that always ends there is none that is used, and the walk is mistaken.

The imagined world has four ranks, and the walk does not see all that sets a variable. Where it would find that every
rank fails ``assert self.group is not None`` or ``if a * b != world_size: raise``, it goes both ways instead. What was
asked there whether it is ``None`` is not known any more: somebody has set it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.simulate import expressions
from ddplint.simulate.symbols import symbol
from ddplint.simulate.values import EVERYONE, NONE, WORLD_SIZE, Const, External, Instance, Unknown, Value

if TYPE_CHECKING:
    from ddplint.simulate.state import Location
    from ddplint.simulate.walker import Walker

__all__ = ["doubted"]

_LITERALS = (cst.Integer, cst.SimpleString)
_WORDS = frozenset({"True", "False", "None"})


def doubted(w: Walker, test: Value, node: cst.If | cst.Assert) -> Value:
    """The value of a condition; unknown where by it all ranks would fail, and nothing in the program takes that."""
    if type(test) is not Const or w.state.mask != EVERYONE or w.tries or not _fails(node, bool(test.value)):
        return test
    sure = _is_literal(node.test) or _counts(w, node.test) or _asks_the_world(w, node.test)
    if sure:
        return test
    _has_been_set(w, node.test)
    return Unknown(symbol("refused", id(node), test))


def _has_been_set(w: Walker, test: cst.BaseExpression) -> None:
    """A name or attribute that a check has found to be ``None`` holds something unknown."""
    asked = test.expression if isinstance(test, cst.UnaryOperation) else test
    asked = asked.left if isinstance(asked, cst.Comparison) else asked
    where: Location | None = None
    if isinstance(asked, cst.Name):
        scope: int | None = w.frame.outer_names.get(asked.value, w.frame.scope)
        while scope is not None and (scope, asked.value) not in w.state.store:
            scope = w.parents.get(scope)
        where = None if scope is None else (scope, asked.value)
    elif isinstance(asked, cst.Attribute):
        owner = expressions.evaluate(w, asked.value)
        where = (owner.id, asked.attr.value) if isinstance(owner, Instance) else None
    if where is not None and w.state.read(where) == NONE:
        w.state.write(where, Unknown(symbol("set later", *where)))


def _fails(node: cst.If | cst.Assert, holds: bool) -> bool:
    if isinstance(node, cst.Assert):
        return not holds
    return holds and node.orelse is None and _ends_in_raise(node.body)


def _ends_in_raise(body: cst.BaseSuite) -> bool:
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, cst.Raise)


def _is_literal(test: cst.BaseExpression) -> bool:
    """Whether the author wrote that it never holds: ``assert False``."""
    return isinstance(test, _LITERALS) or (isinstance(test, cst.Name) and test.value in _WORDS)


def _counts(w: Walker, test: cst.BaseExpression) -> bool:
    """Whether it only says in which round of a loop the program is: ``index == 2``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    sides = (test.left, test.comparisons[0].comparator)
    loops = [loop.node for loop in w.around if loop.depth == len(w.frames)]
    counters = {one.target.value for one in loops if isinstance(one, cst.For) and isinstance(one.target, cst.Name)}
    named = [side for side in sides if not isinstance(side, _LITERALS)]
    return len(named) == 1 and isinstance(named[0], cst.Name) and named[0].value in counters


def _asks_the_world(w: Walker, test: cst.BaseExpression) -> bool:
    """Whether it is the group alone that is asked for: ``dist.is_initialized()``, or whether there is more than one."""
    if isinstance(test, cst.UnaryOperation):
        return _asks_the_world(w, test.expression)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        other = test.comparisons[0].comparator
        return isinstance(other, cst.Integer) and other.value == "1" and _is_size(w, test.left)
    if not isinstance(test, cst.Call) or not isinstance(test.func, (cst.Name, cst.Attribute)):
        return False
    asked = expressions.evaluate(w, test.func)
    return isinstance(asked, External) and asked.name.startswith("torch.distributed.")


def _is_size(w: Walker, node: cst.BaseExpression) -> bool:
    if isinstance(node, (cst.Name, cst.Attribute)):
        return expressions.evaluate(w, node) == Const(WORLD_SIZE)
    return _asks_the_world(w, node)
