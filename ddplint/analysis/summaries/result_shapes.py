"""The form of what a function gave, to be filled with what another call of the same kind gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    Const,
    Container,
    Either,
    Tuple,
    Unknown,
    Value,
    Varying,
    source_of,
    varying_in,
)
from ddplint.analysis.memory.protocol import Interp

_OF_DATA = frozenset({Reason.DATA, Reason.FILESYSTEM, Reason.LENGTH, Reason.RANDOM})
_LEFT = _OF_DATA | {Reason.EXCEPTION}
"""Of what may also be left from before an exception, one of several ways is."""
_PLAIN = (Unknown, Varying)


@dataclass(frozen=True, slots=True)
class Shape:
    """``same``: the number of the value that was given; ``leaf``: one that is only named; ``known``: a constant.

    Else ``kind`` has ``parts``: a tuple, or a container (``keys``: those of a dictionary; ``leaf``: all its content).
    """

    kind: str = ""
    parts: tuple[Shape, ...] = ()
    keys: tuple[Const, ...] = ()
    same: int = -1
    leaf: Value | None = None
    known: Const | None = None


def shape_of(w: Interp, value: Value, given: Sequence[Value], new: int) -> Shape | None:
    """The form of a result; ``None`` where more is known of it than its form.

    Parameters: ``new``, the least number of what the call has made.
    """
    value = w.state.narrow(value)
    if isinstance(value, Const):
        return Shape(known=value)
    if value in given:
        return Shape(same=given.index(value))
    if isinstance(value, Container):
        return _of_container(w, value, given, new)
    if isinstance(value, Tuple):
        parts = _parts(w, value.items, given, new)
        return None if parts is None else Shape("tuple", parts)
    return _of_leaf(value) or _of_data(w, value, new)


def _of_data(w: Interp, value: Value, new: int) -> Shape | None:
    """One of several ways, where each is data and what was made of it: a recursive walk over a nested batch.

    What is given itself, or holds something else, is not only named: it may be changed later, or speak to others.
    """
    if not isinstance(value, Either):
        return None
    leaves: list[Unknown | Varying] = []
    stack: list[Value] = [value]
    seen: set[int] = set()
    while stack:
        one = stack.pop()
        inner = _inside_data(w, one, new)
        if inner is None or len(leaves) > limits.GIVEN_VALUES:
            return None
        leaves += [one] if isinstance(one, _PLAIN) else []
        if not isinstance(one, Container) or one.id not in seen:
            stack += inner
        seen |= {one.id} if isinstance(one, Container) else set()
    own = min((one for one in leaves if isinstance(one, Varying)), key=_is_left, default=None)
    return Shape(leaf=own or leaves[0]) if leaves else None


def _is_left(value: Varying) -> bool:
    return value.reason not in _OF_DATA


def _inside_data(w: Interp, value: Value, new: int) -> Sequence[Value] | None:
    """What is in a value that is data; ``None`` for any other."""
    if isinstance(value, Either):
        shared = value.local is None and not value.symbol.tainted and not value.symbol.rank_dependent
        return (value.yes, value.no) if shared else None
    if isinstance(value, Container):
        return [one for _, one in w.state.held(value.id)] if value.id >= new else None
    if isinstance(value, Tuple):
        return value.items
    return () if isinstance(value, Const) or _is_plain(value, _LEFT) else None


def _of_leaf(value: Value) -> Shape | None:
    """A value that is only named; on some ways it may be a constant, as the sum of nothing is."""
    ways = list(alternatives(value)) if isinstance(value, Either) and value.local is None else [value]
    named = [way for way in ways if not isinstance(way, Const)]
    if not named or any(type(way) is not type(named[0]) or not _is_plain(way) for way in named):
        return None
    return Shape(leaf=named[0])


def _is_plain(value: Value, reasons: frozenset[Reason] = _OF_DATA) -> bool:
    if not isinstance(value, _PLAIN) or value.symbol.tainted or value.symbol.rank_dependent:
        return False
    return isinstance(value, Unknown) or value.reason in reasons


def _parts(w: Interp, values: Sequence[Value], given: Sequence[Value], new: int) -> tuple[Shape, ...] | None:
    if len(values) > limits.KNOWN_ITEMS:
        return None
    found = [shape_of(w, one, given, new) for one in values]
    return tuple(one for one in found if one is not None) if all(found) else None


def _of_container(w: Interp, value: Container, given: Sequence[Value], new: int) -> Shape | None:
    content = w.state.read((value.id, ""))
    if value.id < new or content is None:
        return None
    if not isinstance(content, Tuple):
        leaf = _of_leaf(content)
        return None if leaf is None or len(w.state.held(value.id)) > 1 else Shape(value.kind, leaf=leaf.leaf)
    if value.kind != "dict":
        parts = _parts(w, content.items, given, new)
        return None if parts is None else Shape(value.kind, parts)
    keys = tuple(key for key in content.items if isinstance(key, Const))
    held = [w.state.read((value.id, f"[{key.value!r}]")) for key in keys]
    parts = _parts(w, [one for one in held if one is not None], given, new)
    whole = parts is not None and len(parts) == len(keys) == len(content.items)
    return Shape("dict", parts or (), keys) if whole else None


class Filler:
    """Makes a result of a form, with the names of what a call hangs on."""

    def __init__(self, w: Interp, what: object, given: Sequence[Value]) -> None:
        self._w = w
        self._given = given
        self._what = what
        self._keys = [terms.key_of(one) for one in given]
        self._trail = next((local.trail for one in given if (local := varying_in(one)) is not None), None)

    def fill(self, shape: Shape, place: tuple[int, ...] = ()) -> Value:
        """The value."""
        if shape.known is not None:
            return shape.known
        if shape.same >= 0:
            return self._given[shape.same]
        if shape.leaf is not None and not shape.kind:
            return self._leaf(shape.leaf, place)
        parts = [self.fill(part, (*place, number)) for number, part in enumerate(shape.parts)]
        if shape.kind == "tuple":
            return Tuple(tuple(parts))
        if shape.kind == "dict" and shape.leaf is None:
            return self._w.container("dict", [Tuple(pair) for pair in zip(shape.keys, parts, strict=True)])
        made = self._w.container(shape.kind, parts)
        if shape.leaf is not None:
            self._w.state.write((made.id, ""), self._leaf(shape.leaf, place))
        return made

    def _leaf(self, was: Value, place: tuple[int, ...]) -> Value:
        what = symbol("computed", self._what, place, *self._keys)
        if isinstance(was, Varying):
            return Varying(was.reason, what, self._trail or was.trail, was.source)
        return Unknown(what, source_of(was))
