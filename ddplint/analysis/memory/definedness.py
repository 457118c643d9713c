"""Names and attributes that only some ranks have: set under a question for the rank, and nowhere for the others.

The store holds for all ranks what some of them set, so that one rank's failure is not taken for many differences. Which
ranks have nothing is kept beside it, together with the very value: who sets the name anew, or joins it with something
else, has made that note void.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ddplint.analysis.domain.join import rank_join
from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import UNBOUND, WORLD_SIZE, Trail, Value
from ddplint.analysis.memory.journal import Arm, Location, Store


@dataclass(frozen=True, eq=False, slots=True)
class Partly(Value):
    """``value`` is what some ranks set behind ``guard``; those in ``lacking`` (a mask) have nothing there.

    ``path`` is what was taken for granted then.
    """

    value: Value
    lacking: int
    guard: Guard
    path: Mapping[Symbol, bool]
    trail: Trail | None


def beside(where: Location) -> Location:
    """Where the note about a location is kept."""
    return -where[0], where[1]


def is_note(where: Location) -> bool:
    return where[0] < 0


def lacking(state: Store, where: Location) -> int:
    """The ranks that have nothing at a location at which others have something."""
    return _lacking(state.store.get(beside(where)), state.store.get(where))


def filled(state: Store, where: Location, otherwise: Value) -> Value:
    """What each rank has at a location that holds something for some: ``otherwise`` is what the others have."""
    noted, held = state.store.get(beside(where)), state.store[where]
    if not isinstance(noted, Partly) or noted.value is not held:
        return held
    return rank_join([otherwise if noted.lacking >> rank & 1 else held for rank in range(WORLD_SIZE)], noted.trail)


def note(state: Store, where: Location, before: int, arms: Sequence[Arm], guard: Guard, trail: Trail | None) -> None:
    """Ranks went different ways and were joined: note which of them have nothing at ``where``, though others do.

    The value becomes one of its own: what another path has there is not it, though it be equal.

    Parameters: ``before``, the ranks that had nothing there when they parted.
    """
    here = without = 0
    for arm in arms:
        here |= arm.fall
        held = arm.writes.get(where)
        if held is None:
            without |= before & arm.fall
        elif held is UNBOUND:
            without |= arm.fall
        else:
            without |= _lacking(arm.writes.get(beside(where)), held) & arm.fall
    own = replace(state.store[where])  # type: ignore[type-var]
    state.write(where, own)
    some = without and here & ~without
    state.write(beside(where), Partly(own, without, guard, state.path.known, trail) if some else UNBOUND)
    if some:
        state.partial.add(where)


def joined(state: Store, where: Location, *arms: Arm) -> Value:
    """The note about a location behind a decision: void where all ranks have something there in one arm."""
    found: Value = UNBOUND
    for arm in arms:
        held = arm.writes.get(where, state.store.get(where, UNBOUND))
        noted = arm.writes.get(beside(where), state.store.get(beside(where), UNBOUND))
        if held is UNBOUND:
            continue
        if not _lacking(noted, held):
            return UNBOUND
        found = noted if found is UNBOUND else found
    return found


def _lacking(noted: Value | None, held: Value | None) -> int:
    return noted.lacking if isinstance(noted, Partly) and noted.value is held else 0
