"""Why two values may differ: one comparison, of which everybody says what does not count."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.term import Fresh, Item, Symbol
from ddplint.analysis.domain.values import UNBOUND, Const, Container, Either, Instance, Object, PerRank, Unknown, Value
from ddplint.util.frozen import frozen

Settled = Callable[[Symbol, Symbol], bool | None]
"""What somebody knows of two terms without looking into them: that they are the same to him, that they are not."""


class Unlike(enum.Enum):
    """What is different, where everything around it is the same."""

    FORM = "made in another way"
    CONSTANT = "known values"
    INDEX = "the known numbers that items are taken by"
    FRESH = "unknowns of one kind"
    INSTANCE = "objects of one class"
    CONTAINER = "containers of one kind"
    OBJECT = "objects of one class of a library"
    DEPTH = "nobody knows: it is too large"


@frozen()
class Difference:
    """Two parts of two values at the same place, as deep inside as possible, that are not the same."""

    reason: Unlike
    one: object
    other: object


def differences(one: object, other: object, settled: Settled | None = None) -> Iterator[Difference]:
    """All places where two values, or parts of terms, are not the same; none where they are.

    Parameters: ``settled`` is asked of each two terms at the same place before they are looked into.
    """
    return _Comparison(settled).between(one, other)


def are_same_but_for(one: object, other: object, *reasons: Unlike, settled: Settled | None = None) -> bool:
    """Whether two values differ at most for these reasons."""
    return one == other or all(found.reason in reasons for found in differences(one, other, settled))


@dataclass(slots=True)
class _Comparison:
    """Terms are trees that share their parts, so what two of them come to is found once."""

    settled: Settled | None
    seen: set[tuple[Symbol, Symbol]] = field(default_factory=set)

    def between(self, one: object, other: object) -> Iterator[Difference]:
        """All differences of two parts at the same place that were not found before."""
        one, other = _term(one), _term(other)
        if one == other:
            return
        if isinstance(one, Symbol) and isinstance(other, Symbol):
            yield from self._of_terms(one, other)
        elif isinstance(one, Either) and isinstance(other, Either):
            yield from self._of_all((one.symbol, one.yes, one.no), (other.symbol, other.yes, other.no))
        else:
            reason = _reason(one, other)
            yield Difference(reason, one, other)
            if reason is Unlike.OBJECT and isinstance(one, Object) and isinstance(other, Object):
                yield from self._of_all(one.args, other.args)

    def _of_all(self, mine: tuple[object, ...], theirs: tuple[object, ...]) -> Iterator[Difference]:
        for one, other in zip(mine, theirs, strict=True):
            yield from self.between(one, other)

    def _of_terms(self, one: Symbol, other: Symbol) -> Iterator[Difference]:
        if (one, other) in self.seen:
            return
        if len(self.seen) > limits.COMPARED_PARTS:
            yield Difference(Unlike.DEPTH, one, other)
            return
        self.seen.add((one, other))
        same = self.settled(one, other) if self.settled is not None else None
        if same is None:
            yield from self._inside(one.whole, other.whole)
        elif not same:
            yield Difference(Unlike.FORM, one, other)

    def _inside(self, one: Symbol, other: Symbol) -> Iterator[Difference]:
        if one.head != other.head or len(one.parts) != len(other.parts):
            yield Difference(Unlike.FORM, one, other)
        elif isinstance(one, Fresh) and isinstance(other, Fresh):
            yield Difference(Unlike.FRESH if one.what == other.what else Unlike.FORM, one, other)
        elif isinstance(one, Item) and isinstance(other, Item):
            yield from self.between(one.base, other.base)
            yield from self._of_indices(one.indices, other.indices)
        else:
            yield from self._of_all(one.parts, other.parts)

    def _of_indices(self, mine: tuple[object, ...], theirs: tuple[object, ...]) -> Iterator[Difference]:
        for found in self._of_all(mine, theirs):
            direct = found.reason is Unlike.CONSTANT and found.one in mine
            yield Difference(Unlike.INDEX, found.one, found.other) if direct else found


def _term(value: object) -> object:
    return value.symbol if isinstance(value, Unknown) else value


def _reason(one: object, other: object) -> Unlike:
    """Why two things differ that have no parts which could be compared."""
    if isinstance(one, Const) and isinstance(other, Const):
        return Unlike.CONSTANT
    if isinstance(one, Container) and isinstance(other, Container) and one.kind == other.kind:
        return Unlike.CONTAINER
    if isinstance(one, Instance) and isinstance(other, Instance) and one.cls == other.cls:
        return Unlike.INSTANCE
    if isinstance(one, Object) and isinstance(other, Object) and one.name == other.name:
        return Unlike.OBJECT if len(one.args) == len(other.args) else Unlike.FORM
    return Unlike.FORM


_MADE_ALIKE = (Unlike.FRESH, Unlike.INSTANCE, Unlike.CONTAINER)


def alike(one: object, other: object) -> bool:
    """Whether two values are the same but for what is new each time: unknowns, objects and containers of one kind."""
    return are_same_but_for(one, other, *_MADE_ALIKE, settled=_by_rank)


def _by_rank(one: Symbol, other: Symbol) -> bool | None:
    return False if one.rank_dependent or other.rank_dependent else None


def as_one(value: PerRank) -> Value:
    """One value for all ranks where theirs are unknowns that were made alike, else the value as it is."""
    first, *others = value.values
    return first if all(alike(first, other) for other in others) else value


def of_one_thing(value: Value) -> Value:
    """One rank's part for all where each has its own of the same unknown thing (``gathered[index[rank]]``).

    They differ, but what holds of one part's kind, such as that it is not ``None``, holds of the others'.
    """
    if isinstance(value, Either):
        return Either(value.symbol, of_one_thing(value.yes), of_one_thing(value.no), value.leaves, value.local)
    if not isinstance(value, PerRank):
        return value
    first, *others = (part for part in value.values if part is not UNBOUND)
    same = isinstance(first, Unknown) and all(are_same_but_for(first, other, Unlike.INDEX) for other in others)
    return first if same else value
