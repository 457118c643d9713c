"""What calls gave before: of functions that keep their results, and of those that look something up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.compare import alike
from ddplint.analysis.domain.values import (
    TRUE,
    UNBOUND,
    Class,
    Const,
    Either,
    Function,
    Instance,
    Object,
    PerRank,
    Unknown,
    Value,
    ranks_of,
)
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record

_PLAIN = (Class, Const, Instance)
_CACHES = frozenset({"functools.cache", "functools.cached_property", "functools.lru_cache"})


@dataclass(slots=True)
class CallCache(Record):
    """Results of calls: ``answers`` to what was asked before, and the ``functions`` that keep their results themselves
    (by their keys)."""

    life = Life.FILE
    answers: dict[tuple[object, ...], Value] = field(default_factory=dict)
    functions: set[int] = field(default_factory=set)


def keeps_results(decorator: Value) -> bool:
    """Whether a decorator, or what a call of it gave, keeps the results of the function."""
    return getattr(decorator, "name", "") in _CACHES


def caching(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``functools.cache(function)``, or the decorator that ``functools.lru_cache(maxsize=...)`` makes."""
    if not args or not isinstance(args[0], Function):
        return w.external_object("functools.lru_cache", args, kwargs, node)
    w.record(CallCache).functions.add(args[0].key)
    return args[0]


def recall(w: Interp, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value | None:
    """The kept result of such a function; None where the active ranks have not called it yet.

    With arguments that are not known the earlier call may have been the same one, and then nothing runs.
    """
    if function.key not in w.record(CallCache).functions:
        return None
    kept = _known(w, _place(function, args, kwargs))
    if kept is not None or _literal(args, kwargs):
        return kept
    if _known(w, _ever(function)) is None:
        return None
    return terms.derived(("call", function), [*args, *kwargs.values()])


def keep(w: Interp, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value) -> None:
    """Keep the result of a call."""
    if function.key in w.record(CallCache).functions:
        w.state.write(_place(function, args, kwargs), result)
        w.state.write(_ever(function), TRUE)


def asked_before(
    w: Interp, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value
) -> Value:
    """The answer of a function that calls nothing unknown: the one it gave before, where both were worked out alike.

    A look-up in a registry ends in an unknown each time; asked for the same name, it is the same unknown.
    """
    if kwargs or not isinstance(result, (Either, Unknown)) or not all(isinstance(arg, _PLAIN) for arg in args):
        return result
    asked = (function.key, *map(terms.key_of, args))
    before = w.record(CallCache).answers.get(asked)
    if before is not None and alike(before, result):
        return before
    w.record(CallCache).answers[asked] = result
    return result


def _ever(function: Function) -> Location:
    """Where it is noted that the function has been called, with whatever arguments."""
    return 0, f"called {function.key}"


def _place(function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Location:
    named = {name: terms.key_of(value) for name, value in kwargs.items()}
    return 0, f"kept {function.key} {[terms.key_of(arg) for arg in args]} {named}"


def _literal(args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    return all(isinstance(arg, (Const, Object)) for arg in (*args, *kwargs.values()))


def _known(w: Interp, where: Location) -> Value | None:
    """What is kept there, if only on some paths; None where nothing is."""
    kept = w.state.read(where)
    while isinstance(kept, Either):
        kept = kept.no if kept.yes is UNBOUND else kept.yes
    some = isinstance(kept, PerRank) and any(kept.values[rank] is UNBOUND for rank in ranks_of(w.state.mask))
    return None if kept is UNBOUND or some else kept
