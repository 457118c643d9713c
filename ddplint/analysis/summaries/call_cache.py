"""Functions that keep their results (``functools.cache``): the body runs once for the same arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ddplint.analysis.domain.likeness import alike
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
from ddplint.analysis.semantics import expressions

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.analysis.memory.store import Location
    from ddplint.analysis.semantics.calls import Args, Kwargs

_PLAIN = (Class, Const, Instance)
_CACHES = frozenset({"functools.cache", "functools.cached_property", "functools.lru_cache"})


def keeps_results(decorator: Value) -> bool:
    """Whether a decorator, or what a call of it gave, keeps the results of the function."""
    return getattr(decorator, "name", "") in _CACHES


def caching(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``functools.cache(function)``, or the decorator that ``functools.lru_cache(maxsize=...)`` makes."""
    if not args or not isinstance(args[0], Function):
        return w.external_object("functools.lru_cache", args, kwargs, node)
    w.caching.add(args[0].key)
    return args[0]


def recall(w: Walker, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value | None:
    """The kept result of such a function; None where the active ranks have not called it yet.

    With arguments that are not known the earlier call may have been the same one, and then nothing runs.
    """
    if function.key not in w.caching:
        return None
    kept = _known(w, _place(function, args, kwargs))
    if kept is not None or _literal(args, kwargs):
        return kept
    if _known(w, _ever(function)) is None:
        return None
    return expressions.derived(("call", function), [*args, *kwargs.values()])


def keep(w: Walker, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value) -> None:
    """Keep the result of a call."""
    if function.key in w.caching:
        w.state.write(_place(function, args, kwargs), result)
        w.state.write(_ever(function), TRUE)


def asked_before(
    w: Walker, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value
) -> Value:
    """The answer of a function that calls nothing unknown: the one it gave before, where both were worked out alike.

    A look-up in a registry ends in an unknown each time; asked for the same name, it is the same unknown.
    """
    if kwargs or not isinstance(result, (Either, Unknown)) or not all(isinstance(arg, _PLAIN) for arg in args):
        return result
    asked = (function.key, *map(expressions.key_of, args))
    before = w.answers.get(asked)
    if before is not None and alike(before, result):
        return before
    w.answers[asked] = result
    return result


def _ever(function: Function) -> Location:
    """Where it is noted that the function has been called, with whatever arguments."""
    return 0, f"called {function.key}"


def _place(function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Location:
    named = {name: expressions.key_of(value) for name, value in kwargs.items()}
    return 0, f"kept {function.key} {[expressions.key_of(arg) for arg in args]} {named}"


def _literal(args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    return all(isinstance(arg, (Const, Object)) for arg in (*args, *kwargs.values()))


def _known(w: Walker, where: Location) -> Value | None:
    """What is kept there, if only on some paths; None where nothing is."""
    kept = w.state.read(where)
    while isinstance(kept, Either):
        kept = kept.no if kept.yes is UNBOUND else kept.yes
    some = isinstance(kept, PerRank) and any(kept.values[rank] is UNBOUND for rank in ranks_of(w.state.mask))
    return None if kept is UNBOUND or some else kept
