"""Names that a loop has bound: who reads such a name behind the loop has seen an iteration of it.

``for epoch in range(start, end): ...`` and then ``save(epoch)``: without an iteration there is no ``epoch``, and the
program ends there with a ``NameError``. It is noted beside the name which loops must have had an iteration, together
with the very value: who sets the name anew, or joins it with something else, has made that note void.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Value
from ddplint.analysis.memory.journal import Arm, Location, Store

RAISED = frozenset({"UnboundLocalError", "NameError", "Exception", "BaseException", "object"})


@dataclass(frozen=True, eq=False, slots=True)
class _InIterations(Value):
    """``value`` is there where each of these loops that was come to has had an iteration."""

    value: Value
    iterations: tuple[Symbol, ...]


def beside(where: Location) -> Location:
    return -where[0], f"{where[1]} in rounds"


def note(state: Store, where: Location, iterations: Iterable[Symbol]) -> None:
    """What stands at a location was put there in iterations of these loops.

    The value becomes one of its own: what is set later is not it, though it be equal.
    """
    own = replace(state.store[where])  # type: ignore[type-var]
    state.write(where, own)
    state.write(beside(where), _InIterations(own, tuple(dict.fromkeys(iterations))))
    state.bound.add(where[1])


def join(state: Store, where: Location, before: Value, arms: Iterable[Arm]) -> None:
    """Two ways were joined: on each its own loops were iterated. What the other has not come to means nothing to it.

    Parameters: ``before``, the value at the location where the ways parted.
    """
    kept = state.store.get(beside(where))
    iterations: list[Symbol] = []
    for arm in arms:
        iterations += iterations_of(arm.writes.get(beside(where), kept), arm.writes.get(where, before))
    if iterations:
        note(state, where, iterations)


def iterations_of(noted: Value | None, held: Value | None) -> tuple[Symbol, ...]:
    return noted.iterations if isinstance(noted, _InIterations) and noted.value is held else ()
