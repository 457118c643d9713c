"""What those ranks are left with who leave a round, or a function, because of something of their own.

``if loss > limit: continue`` above ``count += 1``: the ones that went on have counted, the others have not. With the
condition turned around, the arms of the decision are joined; here what was held at the way out is kept until the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ddplint.analysis.domain.join import either, rank_join
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.path_condition import PathCondition, independent
from ddplint.analysis.domain.values import (
    UNBOUND,
    WORLD_SIZE,
    Const,
    Either,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.memory import definedness
from ddplint.analysis.memory.frames import Left
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record

_OWN = frozenset({Reason.CLOCK, Reason.DATA, Reason.LENGTH, Reason.RANDOM})
"""Why ranks surely part: what each finds on its disk, or fails at, is mostly the same for all."""
_PLAIN = (Const, Either, PerRank, Unknown, Varying)
_CONTENT = (*_PLAIN, Tuple)
_FACTS = 0
"""The key of the store under which is kept what the ranks have done together: their traces say who has."""


@dataclass(slots=True)
class Decisions(Record):
    """What ranks have decided for themselves, arm within arm, on the way to where the walk is."""

    life = Life.SCOPED
    within: list[Varying] = field(default_factory=list)


@contextmanager
def decided(w: Interp, cause: Varying) -> Iterator[None]:
    """An arm is walked to which each rank goes by its own decision."""
    within = w.record(Decisions).within
    within.append(cause)
    try:
        yield
    finally:
        within.pop()


def depth(w: Interp) -> int:
    """How many such decisions have led here."""
    return len(w.record(Decisions).within)


def leave(w: Interp, ways: list[Left], begun: int) -> None:
    """The active ranks leave; ``begun``: how many decisions had led to where the iteration or function began."""
    within = w.record(Decisions).within[begun:]
    if within and within[-1].reason in _OWN and w.state.mask:
        ways.append(Left(w.state.mask, w.state.path, tuple(within), dict(w.state.store), w.spoken))


def fold(
    w: Interp, ways: Sequence[Left], since: PathCondition, written: Collection[Location], scope: int | None = None
) -> None:
    """The iteration or function is over: what was ``written`` in it stands for those only who have not left before.

    Where the others have communicated since, that they did is the difference, and what follows from it says no more.

    Parameters: ``since``, what was assumed when it began; ``scope``, whose names nobody sees any more.
    """
    ways = [way for way in ways if way.spoken is w.spoken]
    for where in written if ways and w.state.mask else ():
        if where[0] in (_FACTS, scope) or definedness.is_note(where):
            continue
        new = whole = w.state.store.get(where)
        for way in reversed(ways):
            old = way.store.get(where)
            if new is not None and old is not None and old is not whole:
                new = _parted(w, way, since, where, old, new)
        if new is not None and new is not whole:
            w.state.write(where, new)


def _parted(w: Interp, way: Left, since: PathCondition, where: Location, old: Value, new: Value) -> Value:
    """What a location holds where some have left with ``old`` in it, and ``new`` is there for the others."""
    kinds = _CONTENT if where[1] == "" else _PLAIN
    if old is UNBOUND or old == new or not isinstance(old, kinds) or not isinstance(new, kinds):
        return new
    cause = way.causes[-1]
    own = {one.symbol for one in way.causes} | {inner for one in way.causes for inner in one.symbol.symbols}
    joined = w.state.parted(where, cause, old, new)
    for what, known in reversed(independent(way.path.since(since))):
        if what not in own:
            joined = either(what, joined, new) if known else either(what, new, joined)
    ranks = [joined if way.mask >> rank & 1 else new for rank in range(WORLD_SIZE)]
    return rank_join(ranks, cause.trail)
