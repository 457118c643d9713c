"""What a program has made sure of before ranks share something out: that it divides by the number of ranks.

``if total % world_size != 0: raise ...`` and ``assert len(items) % world_size == 0``: who goes on behind it has as many
of ``range(rank, total, world_size)`` or ``items[rank::world_size]`` as any other rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import WORLD_SIZE, Const, Unknown, Value

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

__all__ = ["counts_ranks", "holds_multiple", "is_checked"]

_NOTHING_LEFT = {("op", "=="): True, ("op", "!="): False, ("op", ">"): False}
"""How a comparison of what is left with 0 comes out where nothing is left."""
_MOST_PARTS = 500
"""How many parts of a number are asked whether the number of ranks went into them."""


def is_checked(w: Walker, base: Value, step: Value | None = None) -> bool:
    """Whether it was checked on the way here that the elements of a sequence, or a number, divide by the ranks.

    Of a number (the stop of a range) it is enough that it is worked out from one that divides.
    """
    for number in _divided(w, step):
        if isinstance(base, Unknown) and (base.symbol is number or number in _parts(base.symbol)):
            return True
        if number.key[0] == "len" and number.key[1] in (base, getattr(base, "symbol", base)):
            return True
    return False


def _divided(w: Walker, step: Value | None) -> Iterator[Symbol]:
    """The numbers that are known on this path to divide by the number of ranks."""
    for what, holds in w.state.path.known.items():
        rest = what
        if what.key[:2] in _NOTHING_LEFT and what.key[3] == Const(0) and isinstance(what.key[2], Symbol):
            rest, holds = what.key[2], holds is not _NOTHING_LEFT[what.key[:2]]  # type: ignore[index]
        if not holds and rest.key[:2] == ("op", "%") and counts_ranks(rest.key[3], step):
            yield from (part for part in rest.key[2:3] if isinstance(part, Symbol))


def counts_ranks(part: object, step: Value | None) -> bool:
    """Whether a part of a name is the number of ranks: the known one, or the ``step`` in which ranks go."""
    return part == Const(WORLD_SIZE) or (isinstance(step, Unknown) and part is step.symbol)


def holds_multiple(what: Symbol, step: Value | None) -> bool:
    """Whether a multiple of the number of ranks went into something."""
    return any(
        one.made_of[:2] == ("op", "*") and any(counts_ranks(part, step) for part in one.made_of[2:])
        for one in _parts(what)
    )


def _parts(what: Symbol) -> Iterator[Symbol]:
    """A name and what it is made of."""
    rest, seen = [what], set[Symbol]()
    while rest and len(seen) < _MOST_PARTS:
        one = rest.pop()
        yield one
        seen.add(one)
        rest += [part for part in one.made_of if isinstance(part, Symbol) and part not in seen]
