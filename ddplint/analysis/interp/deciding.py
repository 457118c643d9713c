"""One condition for an if-then-else value: its arms are walked once each, not once for each alternative."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

import libcst as cst

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.symbols import Symbol, decision
from ddplint.analysis.domain.values import (
    Bound,
    Class,
    Const,
    Container,
    Either,
    External,
    Function,
    Group,
    Instance,
    ModuleValue,
    Object,
    Tuple,
    Unknown,
    Value,
    Wrapped,
)
from ddplint.analysis.memory import filling
from ddplint.analysis.summaries import syntax

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp

_DEFINITE = (Bound, Class, Const, External, Function, Group, Instance, ModuleValue, Object, Tuple, Unknown, Wrapped)
"""The values whose truth is the same on all ranks, and asks for nothing that is kept elsewhere."""

Condition = Union[bool, Symbol]


def condition(w: Interp, value: Value, node: cst.CSTNode) -> Condition | None:
    """When a value is true; None where ranks may see different answers, or where there is no short name for it."""
    before = w.state.path
    try:
        return _condition(w, value, node)
    finally:
        w.state.path = before


def _condition(w: Interp, value: Value, node: cst.CSTNode) -> Condition | None:
    value = w.state.narrow(value)
    if type(value) is not Either:
        known = w.truth(value) if type(value) in _DEFINITE or _is_shared(w, value, node) else None
        given = w.state.path.get(known) if isinstance(known, Symbol) else None
        return known if given is None else given
    if value.local is not None:
        return None
    path = w.state.path
    w.state.path = path.add(value.symbol, True)
    yes = _condition(w, value.yes, node)
    if yes is None:
        return None
    w.state.path = path.add(value.symbol, False)
    no = _condition(w, value.no, node)
    return None if no is None else _chosen(value.symbol, yes, no)


def _is_shared(w: Interp, value: Value, node: cst.CSTNode) -> bool:
    """Whether a container is as empty, or not, on all ranks."""
    return type(value) is Container and filling.asked(w, value, node) is value


def _chosen(what: Symbol, yes: Condition, no: Condition) -> Condition | None:
    """``yes if what else no``, as short as it can be."""
    if yes is no:
        return yes
    if yes is True:
        return what if no is False else _joined("or", what, no)
    if no is True:
        return _joined("or", _negated(what), yes)
    if yes is False:
        return _joined("and", _negated(what), no)
    if no is False:
        return _joined("and", what, yes)
    return _joined("or", _joined("and", what, yes), _joined("and", _negated(what), no))


def _joined(head: str, first: Condition | None, second: Condition | None) -> Condition | None:
    if first is None or second is None:
        return None
    if isinstance(first, bool) or isinstance(second, bool):
        known, other = (first, second) if isinstance(first, bool) else (second, first)
        return other if known is (head == "and") else known
    return decision(head, first, second)


def _negated(what: Condition | None) -> Condition | None:
    if not isinstance(what, Symbol):
        return None if what is None else not what
    if what.key[0] == "not" and isinstance(what.key[1], Symbol):
        return what.key[1]
    return decision("not", what)


def is_worth_it(value: Either, statement: cst.CSTNode) -> bool:
    """Whether an arm that may take long would be walked for more than one alternative."""
    if not isinstance(statement, (cst.If, cst.IfExp)):
        return False
    known = [one for one in alternatives(value) if type(one) is Const]
    falsy = sum(not one.value for one in known)
    arms = ((statement.body, value.leaves - falsy), (statement.orelse, value.leaves - len(known) + falsy))
    return any(times > 1 and arm is not None and syntax.may_call(arm) for arm, times in arms)
