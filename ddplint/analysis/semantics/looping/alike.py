"""A choice of iterables over which a loop goes alike: its body is walked once for them, not once for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.values import UNBOUND, Const, Either, External, Object, PerRank, Unknown, Value, Varying
from ddplint.analysis.interp.deciding import Condition, chosen

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp

_SHARED = (Const, External, Unknown)


def as_one(w: Interp, source: Value) -> Value:
    """The same choice, with those of its alternatives put together over which a loop goes alike."""
    source = w.state.narrow(source)
    if isinstance(source, PerRank):
        each = {value: _shortened(w, w.state.narrow(value)) for value in dict.fromkeys(source.values)}
        return replace(source, values=tuple(each[value] for value in source.values))
    return _shortened(w, source)


def _shortened(w: Interp, source: Value) -> Value:
    ways = list(_ways(source))
    kinds = list(dict.fromkeys(map(_kind, ways)))
    if len(kinds) == len(ways):
        return source
    found = _together(w, source, kinds[-1])
    for kind in reversed(kinds[:-1]):
        when = _when(source, kind)
        if when is None or isinstance(when, bool):
            return source
        found = either(when, _together(w, source, kind), found)
    return found


def _ways(value: Value) -> Iterator[Value]:
    if type(value) is Either and value.local is None:
        yield from _ways(value.yes)
        yield from _ways(value.no)
    else:
        yield value


def _kind(value: Value) -> object:
    """What alternatives have in common that are walked as one: numbers up to one that all ranks know, and we do not.

    Where each rank has its own number, only the same one is the same. What is not put together is its own kind.
    """
    if not isinstance(value, Object) or value.name != "builtins.range" or value.kwargs:
        return value
    if all(isinstance(arg, Const) for arg in value.args):
        return value
    if not all(isinstance(arg, (*_SHARED, Varying)) for arg in value.args):
        return value
    return tuple(None if isinstance(arg, _SHARED) else arg for arg in value.args)


def _together(w: Interp, source: Value, kind: object) -> Value:
    """One iterable that stands for all alternatives of a kind."""
    same = [one for one in _ways(source) if _kind(one) == kind]
    first = same[0]
    if len(same) == 1 or not isinstance(first, Object):
        return first
    args = [_argument(source, kind, index) for index in range(len(first.args))]
    return w.external_object(first.name, args, {}, first.site)


def _argument(value: Value, kind: object, index: int) -> Value:
    if type(value) is Either and value.local is None:
        return either(value.symbol, _argument(value.yes, kind, index), _argument(value.no, kind, index))
    return value.args[index] if isinstance(value, Object) and _kind(value) == kind else UNBOUND


def _when(value: Value, kind: object) -> Condition | None:
    """When the choice is one of a kind; None where that has no short name."""
    if type(value) is not Either or value.local is not None:
        return _kind(value) == kind
    yes, no = _when(value.yes, kind), _when(value.no, kind)
    return None if yes is None or no is None else chosen(value.symbol, yes, no)
