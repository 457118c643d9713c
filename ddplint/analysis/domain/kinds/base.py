"""What all terms can be asked, and the two that have no parts: what is too large, and what equals no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ddplint.analysis.domain import limits

GIVEN = "given"
"""The last part of the name of an unknown that is known not to be ``None``."""

_COUNTERS = frozenset({"index", "element"})
_OF_OTHERS = frozenset({"attr", "item", "parameter"})
_CLASSES: dict[object, type[Symbol]] = {}


def at(place: int) -> Any:
    """The part of a term at a place of its key, as an attribute."""
    return property(lambda term: term.structure[place])


def after(place: int) -> Any:
    """The parts of a term from a place of its key on, as an attribute."""
    return property(lambda term: term.structure[place:])


class _Kind(type):
    """Classes whose instances have no attributes beside those that every term has: a walk makes many of them."""

    def __new__(cls, name: str, bases: tuple[type, ...], own: dict[str, Any], **more: Any) -> _Kind:
        return super().__new__(cls, name, bases, {"__slots__": (), **own}, **more)


class Symbol(metaclass=_Kind):
    """An interned expression over opaque names.

    ``structure`` is its head and its parts, which only the makers of terms look into; ``made_of``, what one that is too
    large was before; ``size``, how many parts it has. ``rank_dependent`` says that it hangs on membership in a group
    that is not known, or has a rank in its name, so that ranks may see different values all the same; ``shared``, the
    parts of a rank-local ``and`` or ``or`` that all ranks see alike; ``tainted``, that it hangs on what something
    unknown said that was given the rank.
    """

    is_agreement = False
    """Whether it is what an operation brought to all ranks."""

    __slots__ = ("__weakref__", "_counters", "made_of", "rank_dependent", "shared", "size", "structure", "tainted")

    structure: tuple[object, ...]
    made_of: tuple[object, ...]
    size: int
    shared: tuple[Symbol, ...]
    rank_dependent: bool
    tainted: bool
    _counters: tuple[Symbol, ...]

    def __init_subclass__(cls, heads: tuple[str, ...] = ()) -> None:
        """A kind of terms: those whose key begins with one of these words."""
        _CLASSES.update(dict.fromkeys(heads, cls))

    @property
    def head(self) -> object:
        """The word for its kind, as in ``made_of``: ``call`` of a call, also of one too large to be looked into."""
        return self.made_of[0]

    @property
    def content(self) -> tuple[object, ...]:
        """Its head and its parts: all that may name something."""
        return (self.head, *self.structure[1:])

    parts: tuple[object, ...] = after(1)
    """All behind the head, in order; of one that is too large to be looked into, its number and little else."""

    @property
    def whole(self) -> Symbol:
        """The term itself, or what one that is too large to be looked into was before."""
        return self

    @property
    def symbols(self) -> list[Symbol]:
        """The parts that are terms themselves."""
        return [part for part in self.structure if isinstance(part, Symbol)]

    def within(self, most: int) -> Iterator[Symbol]:
        """The term and all terms in it, each once and not more than ``most``, also where one is too large."""
        rest, seen = [self], set[Symbol]()
        while rest and len(seen) < most:
            one = rest.pop()
            if one not in seen:
                yield one
                seen.add(one)
                rest += one.whole.symbols

    def is_agreed(self, depth: int) -> bool:
        """Whether it is worked out from nothing but what all ranks have agreed on."""
        inner = self.whole
        if inner.is_agreement:
            return True
        return depth > 0 and bool(inner.symbols) and all(part.is_agreed(depth - 1) for part in inner.symbols)

    @property
    def holds_agreed(self) -> bool:
        """Whether something that all ranks have agreed on is in it."""
        return any(one.whole.is_agreement for one in self.within(limits.TERM_PARTS))

    last: object = at(-1)
    """The last part (where a term that is known not to be ``None`` says so)."""

    @property
    def is_there(self) -> bool:
        """Whether it is known not to be ``None``."""
        return self.structure[-1] == GIVEN

    @property
    def counters(self) -> tuple[Symbol, ...]:
        """The unknown numbers (counters of loops) that it is worked out from; not what is part of something else."""
        try:
            return self._counters
        except AttributeError:
            self._counters = tuple(dict.fromkeys(counters_of(self)))
            return self._counters

    def without_not(self, known: bool) -> tuple[object, bool]:
        """What a condition asks that is ``known`` to be true, or false: itself, or what it negates."""
        return self, known

    def is_fresh(self, *kinds: str) -> bool:
        """Whether it equals no other and is of one of these kinds."""
        return False

    def begins_like(self, other: Symbol, count: int = 1) -> bool:
        """Whether the keys of two terms begin with the same parts."""
        return self.structure[:count] == other.structure[:count]

    def __repr__(self) -> str:
        return "(" + " ".join(str(part) for part in self.structure) + ")"


class Big(Symbol, heads=("big",)):
    """One that was too large to be kept whole: a name, the counters in it, and what it was."""

    __slots__ = ("_whole",)

    _whole: Symbol

    @property
    def whole(self) -> Symbol:
        try:
            return self._whole
        except AttributeError:
            found = self._whole = class_of(self.made_of[0])()
            found.structure = found.made_of = self.made_of
            found.size, found.shared, found.tainted = self.size, self.shared, self.tainted
            found.rank_dependent = self.rank_dependent
            return found


class Fresh(Symbol, heads=("fresh",)):
    """Something that equals no other: ``what`` says what it is."""

    @property
    def what(self) -> str:
        return str(self.structure[1])

    def is_fresh(self, *kinds: str) -> bool:
        return self.structure[1] in kinds

    @property
    def is_counter(self) -> bool:
        return self.structure[1] in _COUNTERS


def term_of(part: object) -> Symbol | None:
    """The term itself, or that of a value which is known by one; ``None`` for other parts of terms."""
    found = getattr(part, "symbol", part)
    return found if isinstance(found, Symbol) else None


def terms_in(part: object, most: int = limits.TERM_PARTS) -> Iterator[Symbol]:
    """All terms that a value, or a part of a term, is made of, each once, also in those too large to be looked into."""
    rest, seen = [part], set[Symbol]()
    while rest and len(seen) < most:
        one = rest.pop()
        term = term_of(one)
        if term is None:
            rest += one if isinstance(one := getattr(one, "values", ()), tuple) else ()
        elif term not in seen:
            yield term
            seen.add(term)
            rest += term.whole.parts


def class_of(head: object) -> type[Symbol]:
    """The class of terms with this head."""
    return _CLASSES.get(head, Symbol)


def counters_of(what: Symbol) -> Iterator[Symbol]:
    """The unknown numbers in a term, some perhaps several times."""
    if isinstance(what, Fresh):
        if what.is_counter:
            yield what
    elif what.structure[0] not in _OF_OTHERS:
        for part in what.structure:
            if isinstance(part, Symbol):
                yield from part.counters
