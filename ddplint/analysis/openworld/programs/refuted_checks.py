"""Checks that nobody would pass: a program that always ends there is none that is used, and the walk is mistaken.

Four ranks are walked, and the walk does not see all that sets a variable. Where it would find that every
rank fails ``assert self.group is not None`` or ``if a * b != world_size: raise``, it goes both ways instead. What was
asked there whether it is ``None`` is not known any more: somebody has set it.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.join import either, rank_join
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    NONE,
    WORLD_SIZE,
    Const,
    Either,
    External,
    Group,
    Instance,
    PerRank,
    Unknown,
    Value,
)
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import NARROWED
from ddplint.knowledge import tables

_LITERALS = (cst.Integer, cst.SimpleString)
_WORDS = frozenset({"True", "False", "None"})


def doubted(w: Interp, test: Value, node: cst.If | cst.Assert) -> Value:
    """The value of a condition; unknown where by it all ranks would fail, and nothing in the program takes that."""
    if type(test) in NARROWED and not w.tries:
        return w.semantics.evaluate(w, node.test) if _each_has_its_group(w, node) else test
    if type(test) is not Const or w.state.mask != EVERYONE or w.tries or not _fails(node, bool(test.value)):
        return test
    sure = _is_literal(node.test) or _counts(w, node.test) or _asks_the_world(w, node.test)
    if sure:
        return test
    _has_been_set(w, node.test)
    return Unknown(symbol("refused", id(node), test))


def _has_been_set(w: Interp, test: cst.BaseExpression) -> None:
    """A name or attribute that a check has found to be ``None`` holds something unknown."""
    where = _asked(w, test)
    if where is not None and w.state.read(where) == NONE:
        w.state.write(where, Unknown(symbol("set later", *where)))


def _asked(w: Interp, test: cst.BaseExpression) -> Location | None:
    """Where the name or attribute is kept that a check is about."""
    asked = test.expression if isinstance(test, cst.UnaryOperation) else test
    asked = asked.left if isinstance(asked, cst.Comparison) else asked
    if isinstance(asked, cst.Name):
        scope: int | None = w.frame.outer_names.get(asked.value, w.frame.scope)
        while scope is not None and (scope, asked.value) not in w.state.store:
            scope = w.parents.get(scope)
        return None if scope is None else (scope, asked.value)
    if isinstance(asked, cst.Attribute):
        owner = w.semantics.evaluate(w, asked.value)
        return (owner.id, asked.attr.value) if isinstance(owner, Instance) else None
    return None


def _each_has_its_group(w: Interp, node: cst.If | cst.Assert) -> bool:
    """Note that each rank is in one of the groups that were made: ``assert GROUP is not None`` says so.

    Of ranks that surely are in none it is not believed.
    """
    where = _asked(w, node.test) if _refuses_none(node) else None
    held = w.state.read(where) if where is not None else None
    if where is None or held is None or not _has_group(held):
        return False
    kept = without_none(held)
    if kept != held:
        w.state.write(where, kept)
    return kept != held


def _refuses_none(node: cst.If | cst.Assert) -> bool:
    """Whether the program ends where something is ``None``: ``assert x is not None``, ``if x is None: raise``."""
    test = node.test
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    target = test.comparisons[0]
    refused = isinstance(target.operator, cst.IsNot if isinstance(node, cst.Assert) else cst.Is)
    none = isinstance(target.comparator, cst.Name) and target.comparator.value == "None"
    return refused and none and _fails(node, not isinstance(node, cst.Assert))


def _has_group(value: Value) -> bool:
    if isinstance(value, Either):
        return _has_group(value.yes) or _has_group(value.no)
    return any(map(_has_group, value.values)) if isinstance(value, PerRank) else isinstance(value, Group)


def without_none(value: Value) -> Value:
    """A value without the ``None`` that it would be on some paths; where it surely is ``None``, it stays."""
    if isinstance(value, PerRank):
        return rank_join([without_none(part) for part in value.values], value.trail)
    if not isinstance(value, Either):
        return value
    yes, no = without_none(value.yes), without_none(value.no)
    return no if yes == NONE else yes if no == NONE else either(value.symbol, yes, no)


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


def _counts(w: Interp, test: cst.BaseExpression) -> bool:
    """Whether it only says in which round of a loop the program is: ``index == 2``, ``not index == 2``."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _counts(w, test.expression)
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    sides = (test.left, test.comparisons[0].comparator)
    loops = [loop.node for loop in w.around if loop.depth == len(w.frames)]
    counters = {one.target.value for one in loops if isinstance(one, cst.For) and isinstance(one.target, cst.Name)}
    named = [side for side in sides if not isinstance(side, _LITERALS)]
    return len(named) == 1 and isinstance(named[0], cst.Name) and named[0].value in counters


def _asks_the_world(w: Interp, test: cst.BaseExpression) -> bool:
    """Whether it is the group alone that is asked for: ``dist.is_initialized()``, whether there is more than one.

    Or whether a rank has a number that none has.
    """
    if isinstance(test, cst.UnaryOperation):
        return _asks_the_world(w, test.expression)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        other = test.comparisons[0].comparator
        if isinstance(other, cst.Integer):
            return other.value == "1" and _is_size(w, test.left)
        return _is_below_all(w, other) and isinstance(w.semantics.evaluate(w, test.left), PerRank)
    if not isinstance(test, cst.Call) or not isinstance(test.func, (cst.Name, cst.Attribute)):
        return False
    asked = w.semantics.evaluate(w, test.func)
    return isinstance(asked, External) and tables.begins("communication", asked.name)


def _is_below_all(w: Interp, node: cst.BaseExpression) -> bool:
    """Whether no process has the number, as in ``local_rank == -1``: it stands for a run of one process."""
    value = w.semantics.evaluate(w, node) if isinstance(node, cst.UnaryOperation) else None
    return isinstance(value, Const) and isinstance(value.value, int) and value.value < 0


def _is_size(w: Interp, node: cst.BaseExpression) -> bool:
    if isinstance(node, (cst.Name, cst.Attribute)):
        return w.semantics.evaluate(w, node) == Const(WORLD_SIZE)
    return _asks_the_world(w, node)
