"""Whether two values are made alike: the same but for running numbers, or for the numbers that items are taken by."""

from __future__ import annotations

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.term import Fresh, Item, Symbol
from ddplint.analysis.domain.values import UNBOUND, Const, Container, Either, Instance, PerRank, Unknown, Value


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
    same = isinstance(first, Unknown) and all(_alike_parts(first, other) for other in others)
    return first if same else value


def _alike_parts(one: object, other: object, depth: int = 8) -> bool:
    """Whether two values are the same but for the numbers that items are taken by."""
    if one == other:
        return True
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return _alike_parts(one.symbol, other.symbol, depth)
    if not isinstance(one, Symbol) or not isinstance(other, Symbol) or not depth:
        return False
    if one.head != other.head or isinstance(one, Fresh):
        return False
    mine, theirs = one.whole.parts, other.whole.parts
    if len(mine) != len(theirs):
        return False
    if isinstance(one.whole, Item) and isinstance(mine[-1], Const) and isinstance(theirs[-1], Const):
        mine, theirs = mine[:-1], theirs[:-1]
    return all(_alike_parts(a, b, depth - 1) for a, b in zip(mine, theirs, strict=True))


def alike(one: object, other: object, seen: set[tuple[object, object]] | None = None) -> bool:
    """Whether two values, or parts of their names, are the same but for the running numbers of what is not known."""
    if one == other:
        return True
    seen = set() if seen is None else seen
    if isinstance(one, Symbol) and isinstance(other, Symbol):
        return (one, other) in seen or _same_structure(one, other, seen)
    if type(one) is not type(other):
        return False
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return alike(one.symbol, other.symbol, seen)
    if isinstance(one, Either) and isinstance(other, Either):
        pairs = ((one.symbol, other.symbol), (one.yes, other.yes), (one.no, other.no))
        return all(alike(a, b, seen) for a, b in pairs)
    if isinstance(one, Container) and isinstance(other, Container):
        return one.kind == other.kind
    return isinstance(one, Instance) and isinstance(other, Instance) and one.cls == other.cls


def _same_structure(one: Symbol, other: Symbol, seen: set[tuple[object, object]]) -> bool:
    if one.rank_dependent or other.rank_dependent or one.head != other.head or len(seen) > limits.COMPARED_PARTS:
        return False
    mine, theirs = one.whole.parts, other.whole.parts
    if len(mine) != len(theirs):
        return False
    seen.add((one, other))
    if isinstance(one, Fresh) and isinstance(other, Fresh):
        return one.what == other.what
    return all(alike(a, b, seen) for a, b in zip(mine, theirs, strict=True))
