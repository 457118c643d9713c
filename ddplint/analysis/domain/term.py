"""Terms: what a symbol stands for, one class for each kind that somebody looks into.

:func:`~ddplint.analysis.domain.symbols.symbol` makes them, each once: equality is identity. This module alone knows
how the parts of a term lie in its key; everybody else asks by name, so that a term of another shape is an error of
types and no silence.
"""

from __future__ import annotations

from collections.abc import Iterator

_COUNTERS = frozenset({"index", "element"})


class Symbol:
    """An interned expression over opaque names.

    ``key`` is its structure, ``size`` the number of its parts; ``rank_dependent`` says that it hangs on membership in a
    group that is not known, or has a rank in its name, so that ranks may see different values all the same.
    ``made_of`` is what an opaque one was before; ``shared``, the parts of a rank-local ``and`` or ``or`` that all ranks
    see alike; ``tainted``, that it hangs on what something unknown said that had been
    told the rank.
    """

    __slots__ = ("__weakref__", "_counters", "key", "made_of", "rank_dependent", "shared", "size", "tainted")

    key: tuple[object, ...]
    made_of: tuple[object, ...]
    size: int
    shared: tuple[Symbol, ...]
    rank_dependent: bool
    tainted: bool
    _counters: tuple[Symbol, ...]

    @property
    def head(self) -> object:
        """The word for its kind, as in ``made_of``: ``call`` of a call, also of one too large to be looked into."""
        return self.made_of[0]

    @property
    def parts(self) -> tuple[object, ...]:
        """All behind the head, in order; of one that is too large to be looked into, its number and little else."""
        return self.key[1:]

    @property
    def whole(self) -> Symbol:
        """The term itself, or what one that is too large to be looked into was before."""
        return self

    @property
    def symbols(self) -> list[Symbol]:
        """The parts that are terms themselves."""
        return [part for part in self.key if isinstance(part, Symbol)]

    @property
    def last(self) -> object:
        """The last part (where a term that is known not to be ``None`` says so)."""
        return self.key[-1]

    @property
    def counters(self) -> tuple[Symbol, ...]:
        """The unknown numbers (counters of loops) that it is worked out from; not what is part of something else."""
        try:
            return self._counters
        except AttributeError:
            self._counters = tuple(dict.fromkeys(counters_of(self)))
            return self._counters

    def is_like(self, *begins: object) -> bool:
        """Whether its key begins with these parts."""
        return self.key[: len(begins)] == begins

    def begins_like(self, other: Symbol, count: int = 1) -> bool:
        """Whether the keys of two terms begin with the same parts."""
        return self.key[:count] == other.key[:count]

    def __repr__(self) -> str:
        return "(" + " ".join(str(part) for part in self.key) + ")"


class Big(Symbol):
    """One that was too large to be kept whole: a name, the counters in it, and what it was."""

    __slots__ = ("_whole",)

    _whole: Symbol

    @property
    def whole(self) -> Symbol:
        try:
            return self._whole
        except AttributeError:
            found = self._whole = class_of(self.made_of[0])()
            found.key = found.made_of = self.made_of
            found.size, found.shared, found.tainted = self.size, self.shared, self.tainted
            found.rank_dependent = self.rank_dependent
            return found


class Fresh(Symbol):
    """Something that equals no other: ``what`` says what it is."""

    __slots__ = ()

    @property
    def what(self) -> str:
        return str(self.key[1])

    @property
    def is_counter(self) -> bool:
        return self.key[1] in _COUNTERS


class Attr(Symbol):
    """``base.name``"""

    __slots__ = ()

    @property
    def base(self) -> object:
        return self.key[1]

    @property
    def name(self) -> object:
        return self.key[2]


class Item(Symbol):
    """``base[index]``"""

    __slots__ = ()

    @property
    def base(self) -> object:
        return self.key[1]

    @property
    def index(self) -> object:
        return self.key[2]


class Part(Symbol):
    """One of the values that ``base`` is unpacked into."""

    __slots__ = ()

    @property
    def base(self) -> object:
        return self.key[1]


class Call(Symbol):
    """What a function gives that is known by its ``name``."""

    __slots__ = ()

    @property
    def name(self) -> object:
        return self.key[1]

    @property
    def args(self) -> tuple[object, ...]:
        return self.key[2:]


class Method(Symbol):
    """What a method gives."""

    __slots__ = ()

    @property
    def name(self) -> object:
        return self.key[1]

    @property
    def receiver(self) -> object:
        return self.key[2]

    @property
    def args(self) -> tuple[object, ...]:
        return self.key[3:]


class Operation(Symbol):
    """An operator and its operands: ``sign`` is how Python writes it."""

    __slots__ = ()

    @property
    def sign(self) -> object:
        return self.key[1]

    @property
    def operands(self) -> tuple[object, ...]:
        return self.key[2:]


class Compound(Symbol):
    """A condition that is made of others."""

    __slots__ = ()


class Not(Compound):
    """``not inner``"""

    __slots__ = ()

    @property
    def inner(self) -> object:
        return self.key[1]


class Junction(Compound):
    """``and`` or ``or``; a part may be known, as in ``a < b == b``."""

    __slots__ = ()

    decisive: bool
    """What one part alone makes of it."""

    @property
    def first(self) -> object:
        return self.key[1]

    @property
    def second(self) -> object:
        return self.key[2]


class And(Junction):
    """``first and second``"""

    __slots__ = ()

    decisive = False


class Or(Junction):
    """``first or second``"""

    __slots__ = ()

    decisive = True


class Len(Symbol):
    """``len(of)``"""

    __slots__ = ()

    @property
    def of(self) -> object:
        return self.key[1]


class Truth(Symbol):
    """``bool(of)``"""

    __slots__ = ()

    @property
    def of(self) -> object:
        return self.key[1]


class Is(Symbol):
    """``what is against``"""

    __slots__ = ()

    @property
    def what(self) -> object:
        return self.key[1]

    @property
    def against(self) -> object:
        return self.key[2]


class In(Symbol):
    """``part in where``; what is asked of the dictionary that a program keeps has more in front."""

    __slots__ = ()

    @property
    def where(self) -> object:
        return self.key[-1]


class Joined(Symbol):
    """What is held behind several paths: ``ways`` are what it is on each, as far as known."""

    __slots__ = ()

    @property
    def ways(self) -> tuple[object, ...]:
        return self.key[2:]


class Agreed(Symbol):
    """What an operation of this ``kind`` brought to all ranks."""

    __slots__ = ()

    @property
    def kind(self) -> object:
        return self.key[1]


_CLASSES: dict[object, type[Symbol]] = {
    "agreed": Agreed,
    "and": And,
    "attr": Attr,
    "big": Big,
    "call": Call,
    "fresh": Fresh,
    "in": In,
    "is": Is,
    "item": Item,
    "joined": Joined,
    "len": Len,
    "method": Method,
    "not": Not,
    "op": Operation,
    "or": Or,
    "part": Part,
    "truth": Truth,
}

_OF_OTHERS = frozenset({"attr", "item", "parameter"})


def class_of(head: object) -> type[Symbol]:
    """The class of terms with this head."""
    return _CLASSES.get(head, Symbol)


def counters_of(what: Symbol) -> Iterator[Symbol]:
    """The unknown numbers in a term, some perhaps several times."""
    if isinstance(what, Fresh):
        if what.is_counter:
            yield what
    elif what.key[0] not in _OF_OTHERS:
        for part in what.key:
            if isinstance(part, Symbol):
                yield from part.counters
