"""Names that a loop has bound: who reads such a name behind the loop has seen a round of it.

``for epoch in range(start, end): ...`` and then ``save(epoch)``: without a round there is no ``epoch``, and the program
ends there with a ``NameError``. It is noted beside the name which loops must have had a round, together with the very
value: who sets the name anew, or joins it with something else, has made that note void.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.values import UNBOUND, Value
from ddplint.analysis.trace.nodes import Exit, takes

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.domain.symbols import Symbol
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.analysis.memory.store import Arm, Location, State

_RAISED = frozenset({"UnboundLocalError", "NameError", "Exception", "BaseException", "object"})


@dataclass(frozen=True, eq=False, slots=True)
class _InRounds(Value):
    """``value`` is there where each of these loops that was come to has had a round."""

    value: Value
    rounds: tuple[Symbol, ...]


def _beside(where: Location) -> Location:
    return -where[0], f"{where[1]} in rounds"


def note(state: State, where: Location, rounds: Iterable[Symbol]) -> None:
    """What stands at a location was put there in rounds of these loops.

    The value becomes one of its own: what is set later is not it, though it be equal.
    """
    own = replace(state.store[where])  # type: ignore[type-var]
    state.write(where, own)
    state.write(_beside(where), _InRounds(own, tuple(dict.fromkeys(rounds))))
    state.bound.add(where[1])


def join(state: State, where: Location, before: Value, arms: Iterable[Arm]) -> None:
    """Two ways were joined: on each its own loops have had a round. What the other has not come to means nothing to it.

    Parameters: ``before``, the value at the location where the ways parted.
    """
    kept = state.store.get(_beside(where))
    rounds: list[Symbol] = []
    for arm in arms:
        rounds += _rounds(arm.writes.get(_beside(where), kept), arm.writes.get(where, before))
    if rounds:
        note(state, where, rounds)


def _rounds(noted: Value | None, held: Value | None) -> tuple[Symbol, ...]:
    return noted.rounds if isinstance(noted, _InRounds) and noted.value is held else ()


def read(w: Walker, node: cst.Name) -> None:
    """A name is read: where there was no round, the program ends here."""
    frame, state, name = w.frames[-1], w.state, node.value
    scope: int | None = frame.outer_names.get(name, frame.scope)
    while scope is not None and state.store.get((scope, name), UNBOUND) is UNBOUND:
        scope = w.parents.get(scope)
    if scope is None or not state.mask:
        return
    rounds = _rounds(state.store.get(_beside((scope, name))), state.store[scope, name])
    if not rounds or _stands_outside(w, scope, name):
        return
    if any(takes(kinds, _RAISED) for one in w.tries for kinds in one.handlers):
        return
    for what in rounds:
        if state.path.get(what) is None and state.mask:
            _with_round(w, what, node)


def _with_round(w: Walker, what: Symbol, node: cst.Name) -> None:
    def ends() -> None:
        w.state.trace.append(Exit("raise", w.here(node), raised=_RAISED))
        w.state.mask = 0

    w._fork_choice(what, lambda: w._guard("if", node, node, Reason.IDENTITY, None), lambda: None, ends)


def _stands_outside(w: Walker, scope: int, name: str) -> bool:
    """Whether an enclosing scope has something by that name."""
    above = w.parents.get(scope)
    while above is not None and w.state.store.get((above, name), UNBOUND) is UNBOUND:
        above = w.parents.get(above)
    return above is not None
