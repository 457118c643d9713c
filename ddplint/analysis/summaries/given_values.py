"""What the result of a function that only computes hangs on: the values that it is given, and those it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.term import Fresh, Symbol
from ddplint.analysis.domain.values import (
    UNBOUND,
    Bound,
    Const,
    Container,
    Either,
    Function,
    Generator,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    parts_of,
)
from ddplint.analysis.memory import modes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.wrapping import Passes, WrappedModels
from ddplint.project.index.purity import Reads

_OPEN = (Generator, OnRanks)
"""What runs code of which nothing is said here."""
_HELD = (Bound, Function, Generator, OnRanks, Partial, Wrapped)
"""What holds others, and may have been made just now."""


@dataclass(slots=True)
class Within(Record):
    """What is in a term, by the term, and the ``numbers`` of the ways in which conditions are made of given values."""

    life = Life.FILE
    of: dict[Symbol, frozenset[object]] = field(default_factory=dict)
    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Nth:
    """Stands in a condition for one of the given values."""

    number: int


@dataclass(frozen=True, slots=True)
class _Other:
    """Stands in a condition for something that is nowhere else: only where it stands says anything."""

    what: str
    number: int


@dataclass(frozen=True, slots=True)
class _Made:
    """Stands in a condition for a term that is made of given values, by the number of the way in which it is."""

    number: int


@dataclass(slots=True)
class Given:
    """The ``values`` that a call hangs on, in an order of their own, and of which ``kind`` they and the call are.

    Of two calls of one kind each takes the same ways, and what they give has the same form.
    """

    values: list[Value]
    kind: tuple[object, ...]


def given(
    w: Interp, function: Function, reads: Reads, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Given | None:
    """What a call hangs on; ``None`` where that is too much, or not known."""
    reader = _Reader(w, reads)
    for value in args:
        reader.add(value)
    for name, value in kwargs.items():
        reader.name(name, value)
    reader.around(function)
    if reader.lost:
        return None
    assumed = frozenset(_assumed(w, reader.values))
    switches = modes.flag(w, "no_grad"), modes.flag(w, "no_sync"), w.quiet > 0, w.alone, bool(w.tries)
    noted = bool(w.record(Passes).running), bool(w.record(WrappedModels).bare)
    return Given(reader.values, (id(function.node), w.state.mask, *switches, *noted, assumed, *reader.kinds))


def _assumed(w: Interp, values: Sequence[Value]) -> Iterator[tuple[object, bool]]:
    """What the path takes for granted about the values: a branch on it is no choice. It names them by their numbers."""
    asked: dict[object, _Nth] = {}
    for number, one in enumerate(values):
        if not isinstance(one, Const):
            asked.setdefault(one.symbol if isinstance(one, (Unknown, Varying)) else one, _Nth(number))
    stands: dict[object, object] = {**asked}
    for what, holds in w.state.path.known.items():
        if not asked.keys().isdisjoint(_within(w, what)):
            yield _numbered(w, what, asked, stands), holds


def _numbered(w: Interp, part: object, asked: Mapping[object, _Nth], stands: dict[object, object]) -> object:
    """A part of a condition, where it is made of given values by the way in which it is.

    Parameters: ``stands``, what stands for the parts that were asked about before.
    """
    if isinstance(part, (Unknown, Varying)):
        part = part.symbol
    if part in stands:
        return stands[part]
    inner: tuple[object, ...] = ()
    if isinstance(part, Fresh):
        stands[part] = _Other(part.what, len(stands))
        return stands[part]
    if isinstance(part, Symbol) and any(one in asked or isinstance(one, Fresh) for one in _within(w, part)):
        inner = (type(part.whole), *part.whole.content)
    elif isinstance(part, Either):
        inner = (Either, part.symbol, part.yes, part.no)
    elif isinstance(part, Tuple):
        inner = (Tuple, *part.items)
    made = tuple(_numbered(w, one, asked, stands) for one in inner)
    numbers = w.record(Within).numbers
    stands[part] = _Made(numbers.setdefault(made, len(numbers))) if inner else part
    return stands[part]


def _within(w: Interp, what: Symbol) -> frozenset[object]:
    """A term and all that it is made of."""
    known = w.record(Within).of
    found = known.get(what)
    if found is None:
        known[what] = frozenset()
        parts = {what, *(inner for part in what.whole.parts for inner in _inside(w, part))}
        found = known[what] = frozenset(parts)
    return found


def _inside(w: Interp, part: object) -> Iterator[object]:
    if isinstance(part, (Unknown, Varying)):
        part = part.symbol
    if isinstance(part, Symbol):
        yield from _within(w, part)
    elif isinstance(part, (Tuple, Either)):
        yield from (inner for one in parts_of(part) for inner in _inside(w, one))
    elif isinstance(part, (Container, Instance, Object)):
        yield part


def has_born(w: Interp, value: Value, new: int, born: Symbol) -> bool:
    """Whether an object, or a term that stands for itself alone, is in a value that was not there before.

    Parameters: ``new``, the least number of what was made since; ``born``, a term of its own that was made before.
    """
    stack: list[object] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, (Container, Instance, Object)) and one.id >= new:
            return True
        if isinstance(one, _HELD):
            return True
        inside = one.symbol if isinstance(one, (Unknown, Varying, Either)) else None
        if inside is not None and any(_is_younger(part, born) for part in _within(w, inside)):
            return True
        stack += parts_of(one) if isinstance(one, (Either, PerRank, Tuple)) else ()
        stack += [one.local] if isinstance(one, Either) and one.local is not None else []
    return False


def _is_younger(part: object, born: Symbol) -> bool:
    return isinstance(part, Fresh) and _number(part) > _number(born)


def _number(term: Symbol) -> int:
    return next((part for part in term.parts if type(part) is int), 0)


class _Reader:
    def __init__(self, w: Interp, reads: Reads) -> None:
        self._w = w
        self._reads = reads
        self._attributes = sorted(reads.attributes)
        self._seen: dict[int, int] = {}
        self._symbols: dict[Symbol, int] = {}
        self.values: list[Value] = []
        self.kinds: list[object] = []
        self.lost = False

    def name(self, name: str, value: Value) -> None:
        """A value that has a name."""
        self.kinds.append(name)
        self.add(value)

    def around(self, function: Function) -> None:
        """What the function reads of those around it, and of modules."""
        w = self._w
        for name in sorted(self._reads.names):
            scope: int | None = function.scope
            while scope is not None and w.parents.get(scope) is not None and (scope, name) not in w.state.store:
                scope = w.parents.get(scope)
            if scope is not None and w.parents.get(scope) is not None:
                self.name(name, w.state.read((scope, name)) or UNBOUND)
        for unit, name in self._reads.globals:
            scope = getattr(unit.module, "scope", -1)
            if scope in w.parents:
                self.name(name, w.state.read((scope, name)) or UNBOUND)

    def add(self, value: Value) -> None:
        """A value, and what is asked of it."""
        if self.lost or len(self.values) >= limits.GIVEN_VALUES or isinstance(value, _OPEN):
            self.lost = True
            return
        value = self._w.state.narrow(value)
        self.values.append(value)
        if isinstance(value, (Instance, Container)):
            self._held(value)
        elif isinstance(value, (Either, Tuple, Bound, Partial, Wrapped, Object)):
            self._made_of_others(value)
        elif isinstance(value, Function):
            self.kinds.append(id(value.node))
            self.lost |= isinstance(value.node, cst.Lambda)
        else:
            self.kinds.append(self._plain(value))

    def _plain(self, value: Value) -> object:
        if isinstance(value, Unknown):
            return "unknown", value.source, self._w.state.path.get(value.symbol), self._first(value.symbol)
        if isinstance(value, Varying):
            return "own", value.reason, value.source, self._first(value.symbol)
        if isinstance(value, PerRank):
            self.lost |= not all(isinstance(part, (Const, Unknown)) for part in value.values)
        return terms.key_of(value)

    def _first(self, what: Symbol) -> int:
        """The number of the first of the values that is the same: what is equal to itself is known to be."""
        return self._symbols.setdefault(what, len(self._symbols))

    def _held(self, value: Instance | Container) -> None:
        known = self._seen.get(value.id)
        if known is not None:
            self.kinds.append(known)
            return
        self._seen[value.id] = len(self._seen)
        if isinstance(value, Container):
            self.kinds.append(value.kind)
            for name, held in self._w.state.held(value.id):
                self.name(name, held)
        else:
            self.kinds.append(value.cls)
            for name in self._attributes:
                found = self._w.state.read((value.id, name))
                if found is not None:
                    self.name(name, found)

    def _made_of_others(self, value: Value) -> None:
        """A value that holds other values."""
        if isinstance(value, Either):
            self._several("either", value.local is None, (value.yes, value.no))
        elif isinstance(value, Tuple):
            self._several("tuple", len(value.items), value.items)
        elif isinstance(value, Bound):
            self._several("bound", None, (value.function, value.receiver))
        elif isinstance(value, Partial):
            names = tuple(name for name, _ in value.kwargs)
            self._several("partial", names, (value.function, *value.args, *(one for _, one in value.kwargs)))
        elif isinstance(value, Wrapped):
            self._several("wrapped", value, (value.inner,))
        elif isinstance(value, Object):
            row = self._w.knowledge.lookup(value.name)
            itself = value if row is not None and row.kind != "local" else None
            parts = (*value.args, *(one for _, one in value.kwargs))
            self._several(value.name, itself or tuple(name for name, _ in value.kwargs), parts)

    def _several(self, what: str, more: object, parts: Sequence[Value]) -> None:
        self.kinds.append((what, more, len(parts)))
        for part in parts:
            self.add(part)
