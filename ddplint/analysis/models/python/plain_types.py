"""What kind of plain data an unknown value is, by how it was worked out: ``int(x)`` is a number, whatever ``x`` is."""

from __future__ import annotations

from collections.abc import Mapping

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
    "json.dumps": _TEXT,
    "len": _INT,
    "ord": _INT,
    "os.path.abspath": _TEXT,
    "os.path.basename": _TEXT,
    "os.path.join": _TEXT,
    "repr": _TEXT,
    "str": _TEXT,
}
_TEXT_METHODS = frozenset(
    {"format", "join", "lower", "upper", "strip", "lstrip", "rstrip", "replace", "title", "removeprefix", "zfill"}
)
"""Methods of a text that give another one."""

_OF_ARGUMENTS = frozenset({"abs", "max", "min", "round"})
"""Functions whose result is of the class of an argument."""

_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "unary -", "unary +"})


def plain_classes(knowledge: Knowledge, value: Value) -> frozenset[str]:
    """The built-in classes of plain data of which the value is one, exactly; empty where it may be anything."""
    return _of(knowledge, value, {}) if isinstance(value, (Const, Unknown, Varying)) else frozenset()


def is_text(knowledge: Knowledge, value: Value) -> bool:
    """Whether a value is surely a text."""
    return plain_classes(knowledge, value) == _TEXT


def is_plain(classes: frozenset[str], kind: str) -> bool | None:
    """Whether what is of one of these classes is an instance of a built-in one; None where that is not known."""
    answers = {kind == one or (kind, one) == ("int", "bool") for one in classes}
    return answers.pop() if len(answers) == 1 else None


def _of(knowledge: Knowledge, part: object, known: dict[Symbol, frozenset[str]]) -> frozenset[str]:
    """The same of a part of a term; ``known``, what was worked out before: terms share parts."""
    if isinstance(part, Const):
        return frozenset({type(part.value).__name__})
    term = part.symbol if isinstance(part, (Unknown, Varying)) else part
    if not isinstance(term, Symbol):
        return frozenset()
    if term not in known:
        known[term] = frozenset()
        known[term] = _of_term(knowledge, term, known)
    return known[term]


def _of_term(knowledge: Knowledge, term: Symbol, known: dict[Symbol, frozenset[str]]) -> frozenset[str]:
    def any_of(*parts: object) -> frozenset[str]:
        found = [_of(knowledge, one, known) for one in parts]
        return frozenset().union(*found) if found and all(found) else frozenset()

    ways = joined_of(term)
    if ways is not None:
        return any_of(*ways[1:])
    what = term.whole
    if isinstance(what, (Not, Truth, Is, In, TypeTest)):
        return _BOOL
    if isinstance(what, Junction):
        return any_of(what.first, what.second)
    if isinstance(what, Text):
        return _TEXT
    if isinstance(what, Len) or what.is_fresh("index"):
        return _INT
    if isinstance(what, Named):
        return _OTHER
    if isinstance(what, Method):
        if str(what.name) in knowledge.quiet("number_methods"):
            return NUMBER
        return _TEXT if what.name in _TEXT_METHODS and any_of(what.receiver) == _TEXT else frozenset()
    if isinstance(what, Call):
        name = str(what.name).removeprefix("builtins.")
        return any_of(*what.args) if name in _OF_ARGUMENTS else _CALLS.get(name, frozenset())
    if isinstance(what, Operation) and what.sign in _ARITHMETIC:
        sides = [_of(knowledge, one, known) for one in what.operands]
        if what.sign == "+" and _TEXT in sides:
            return _TEXT
        return NUMBER if all(side and side <= NUMBER for side in sides) else frozenset()
    return frozenset()
