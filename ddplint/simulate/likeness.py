"""Whether two values were come by in the same way, so that nothing says they differ.

Where ranks take turns (``for turn in range(n): if turn == rank: model = load()``), each has a value of its own making.
A decision on such values is not one on which ranks are known to part.
"""

from __future__ import annotations

from ddplint.simulate.symbols import Symbol
from ddplint.simulate.values import Container, Either, Instance, PerRank, Unknown, Value

__all__ = ["alike", "as_one"]

_UNNUMBERED = {"fresh": slice(1, 2), "big": slice(2, None)}
"""The parts of names with a running number that are not the number."""


def as_one(value: PerRank) -> Value:
    """One value for all ranks where theirs are unknowns that were made alike, else the value as it is."""
    first, *others = value.values
    return first if all(alike(first, other) for other in others) else value


def alike(one: object, other: object) -> bool:
    """Whether two values, or parts of their names, are the same but for the running numbers of what is not known."""
    if one == other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Symbol) and isinstance(other, Symbol):
        return _same_structure(one, other)
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return alike(one.symbol, other.symbol)
    if isinstance(one, Either) and isinstance(other, Either):
        return alike(one.symbol, other.symbol) and alike(one.yes, other.yes) and alike(one.no, other.no)
    if isinstance(one, Container) and isinstance(other, Container):
        return one.kind == other.kind
    return isinstance(one, Instance) and isinstance(other, Instance) and one.cls == other.cls


def _same_structure(one: Symbol, other: Symbol) -> bool:
    if one.parts_ranks or other.parts_ranks or len(one.key) != len(other.key):
        return False
    if one.key[0] != other.key[0]:
        return False
    unnumbered = _UNNUMBERED.get(str(one.key[0]), slice(None))
    return all(map(alike, one.key[unnumbered], other.key[unnumbered]))
