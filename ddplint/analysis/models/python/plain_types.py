"""What kind of plain data an unknown value is, by how it was worked out: ``int(x)`` is a number, whatever ``x`` is."""

from __future__ import annotations

from collections.abc import Mapping

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import joined_of
from ddplint.analysis.domain.term import (
    Call,
    In,
    Is,
    Junction,
    Len,
    Method,
    Named,
    Not,
    Operation,
    Symbol,
    Text,
    Truth,
    TypeTest,
)
from ddplint.analysis.domain.values import Const, Unknown, Value, Varying
from ddplint.knowledge import Knowledge

NUMBER = frozenset({"int", "float", "bool"})
"""The classes of a number of which no more is known."""

_INT, _BOOL, _TEXT = frozenset({"int"}), frozenset({"bool"}), frozenset({"str"})
_OTHER = frozenset({"datetime", "float", "int", "str"})
"""What a name that was drawn, or a time, may be."""

_CALLS: Mapping[str, frozenset[str]] = {
    "bool": _BOOL,
    "float": frozenset({"float"}),
    "hash": _INT,
    "id": _INT,
    "int": _INT,
    "len": _INT,
    "ord": _INT,
    "repr": _TEXT,
    "str": _TEXT,
}
_OF_ARGUMENTS = frozenset({"abs", "max", "min", "round"})
"""Functions whose result is of the class of an argument."""

_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "unary -", "unary +"})


def plain_classes(knowledge: Knowledge, value: Value) -> frozenset[str]:
    """The built-in classes of plain data of which the value is one, exactly; empty where it may be anything."""
    if isinstance(value, Const):
        return _of_constant(value)
    return _of(knowledge, value.symbol, limits.TERM_PARTS) if isinstance(value, (Unknown, Varying)) else frozenset()


def is_plain(classes: frozenset[str], kind: str) -> bool | None:
    """Whether what is of one of these classes is an instance of a built-in one; None where that is not known."""
    answers = {kind == one or (kind, one) == ("int", "bool") for one in classes}
    return answers.pop() if len(answers) == 1 else None


def _of_constant(value: Const) -> frozenset[str]:
    return frozenset({type(value.value).__name__})


def _of(knowledge: Knowledge, part: object, depth: int) -> frozenset[str]:
    if isinstance(part, (Const, Unknown, Varying)):
        part = part if isinstance(part, Const) else part.symbol
    if isinstance(part, Const):
        return _of_constant(part)
    if not isinstance(part, Symbol) or depth <= 0:
        return frozenset()
    ways = joined_of(part)
    if ways is not None:
        return _any_of(knowledge, ways[1:], depth)
    what = part.whole
    if isinstance(what, (Not, Truth, Is, In, TypeTest)):
        return _BOOL
    if isinstance(what, Junction):
        return _any_of(knowledge, (what.first, what.second), depth)
    if isinstance(what, Text):
        return _TEXT
    if isinstance(what, Len) or what.is_fresh("index"):
        return _INT
    if isinstance(what, Named):
        return _OTHER
    if isinstance(what, Method):
        return NUMBER if str(what.name) in knowledge.quiet("number_methods") else frozenset()
    if isinstance(what, Call):
        name = str(what.name)
        return _any_of(knowledge, what.args, depth) if name in _OF_ARGUMENTS else _CALLS.get(name, frozenset())
    if isinstance(what, Operation) and what.sign in _ARITHMETIC:
        sides = [_of(knowledge, operand, depth - 1) for operand in what.operands]
        return NUMBER if all(side and side <= NUMBER for side in sides) else frozenset()
    return frozenset()


def _any_of(knowledge: Knowledge, parts: tuple[object, ...], depth: int) -> frozenset[str]:
    found = [_of(knowledge, part, depth - 1) for part in parts]
    return frozenset().union(*found) if found and all(found) else frozenset()
