"""One condition for an if-then-else value: its arms are walked once each, not once for each alternative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, decision, numbered
from ddplint.analysis.domain.term import Not
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
    Varying,
    Wrapped,
)
from ddplint.analysis.memory import filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.summaries import syntax

_DEFINITE = (Bound, Class, Const, External, Function, Group, Instance, ModuleValue, Object, Tuple, Unknown, Wrapped)
"""The values whose truth is the same on all ranks, and asks for nothing that is kept elsewhere."""

Condition = Union[bool, Symbol]


@dataclass(frozen=True)
class Asked:
    """What a value of several alternatives comes to where it is asked whether it is true.

    ``own``: what stands for those of them of which each rank has its own, if there are any, and ``parted``: when it is
    one of them. ``shared``: when it is true where all ranks see the same.
    """

    shared: Condition
    parted: Condition = False
    own: Varying | None = None


def asked(w: Interp, value: Either, node: cst.CSTNode) -> Asked | None:
    """What is asked; None where it has no short name, or where who the rank is decides."""
    own = list[Varying]()
    with w.saved(path=w.state.path):
        found = _asked(w, value, node, own)
    if found is None or found[1] is False:
        return Asked(found[0]) if found is not None else None
    return Asked(*found, _one_of(value, own)) if _are_alike(own) else None


def _asked(w: Interp, value: Value, node: cst.CSTNode, own: list[Varying]) -> tuple[Condition, Condition] | None:
    """When it is true, where all ranks see it alike, and when they do not. What each rank has is put into ``own``."""
    value = w.state.narrow(value)
    if type(value) is not Either:
        return _of_one(w, value, node, own)
    if value.local is not None:
        return None
    with w.saved(path=w.state.path.add(value.symbol, True)):
        yes = _asked(w, value.yes, node, own)
    if yes is None:
        return None
    with w.saved(path=w.state.path.add(value.symbol, False)):
        no = _asked(w, value.no, node, own)
    if no is None:
        return None
    parted = _chosen(value.symbol, yes[1], no[1])
    shared = no[0] if yes[1] is True else yes[0] if no[1] is True else _chosen(value.symbol, yes[0], no[0])
    return None if shared is None or parted is None else (shared, parted)


def _of_one(w: Interp, value: Value, node: cst.CSTNode, own: list[Varying]) -> tuple[Condition, Condition] | None:
    if type(value) in _DEFINITE or _is_shared(w, value, node):
        known = w.truth(value)
    elif type(value) is Varying and w.truth(value) is None:
        known = w.state.path.get(value.symbol)
        if known is None:
            own.append(value)
            return False, True
    else:
        return None
    given = w.state.path.get(known) if isinstance(known, Symbol) else None
    found = known if given is None else given
    return None if found is None else (found, False)


def _are_alike(own: list[Varying]) -> bool:
    """Whether ranks see different things for one reason, which is not who they are."""
    known = own[0].reason is not Reason.IDENTITY and all(one.reason is own[0].reason for one in own)
    return known and not any(one.symbol.tainted or one.symbol.rank_dependent for one in own)


def _one_of(value: Either, own: list[Varying]) -> Varying:
    if all(one.symbol is own[0].symbol for one in own):
        return own[0]
    return Varying(own[0].reason, numbered("joined", value), own[0].trail)


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
    if isinstance(what, Not) and isinstance(what.inner, Symbol):
        return what.inner
    return decision("not", what)


def is_worth_it(value: Either, statement: cst.CSTNode) -> bool:
    """Whether an arm that may take long would be walked for more than one alternative."""
    if not isinstance(statement, (cst.If, cst.IfExp)):
        return False
    known = [one for one in alternatives(value) if type(one) is Const]
    falsy = sum(not one.value for one in known)
    arms = ((statement.body, value.leaves - falsy), (statement.orelse, value.leaves - len(known) + falsy))
    return any(times > 1 and arm is not None and syntax.may_call(arm) for arm, times in arms)


def reads(w: Interp, name: str) -> bool:
    """Whether a call of this name gives what a file holds."""
    row = w.knowledge.lookup(name)
    return row is not None and row.effect == Effect.READ
