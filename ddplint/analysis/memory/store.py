"""The state of a walk: the store, which ranks are active, what is assumed, and the trace being written.

Ranks run in step, like lanes behind a mask. Where a condition parts them, each arm runs from the same store; a
journal of old values takes an arm's writes back, and the arms' writes are merged by rank or by the uniform unknown
that chose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.content import length_join
from ddplint.analysis.domain.join import either, is_reshaped, local_join, rank_join
from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    UNBOUND,
    WORLD_SIZE,
    Either,
    PerRank,
    Trail,
    Unknown,
    Value,
    Varying,
    ranks_of,
)
from ddplint.analysis.memory import definedness, loop_names
from ddplint.analysis.memory.journal import Arm, Location
from ddplint.analysis.trace.nodes import Exit, Nodes

NARROWED = (PerRank, Either)
"""The values of which the active ranks and the path may rule something out."""


@dataclass(slots=True)
class State:
    """Everything that changes during a walk."""

    store: dict[Location, Value] = field(default_factory=dict)
    names: dict[int, set[str]] = field(default_factory=dict)
    """What has ever been held under each key of the store: places that may hold something now."""
    _held: dict[int, dict[str, None]] = field(default_factory=dict)
    """What is held now under each key of the store, in the order of the store."""
    mask: int = EVERYONE
    path: PathCondition = field(default_factory=PathCondition)
    trace: Nodes = field(default_factory=list)
    stays: Mapping[Symbol, tuple[int, int]] = field(default_factory=dict)
    """The ranks that went on behind a decision from which some left: where it was true, and where it was not."""
    journals: list[dict[Location, Value | None]] = field(default_factory=list)
    partial: set[Location] = field(default_factory=set)
    """The locations at which some ranks have had nothing, see :mod:`ddplint.analysis.memory.definedness`."""
    bound: set[str] = field(default_factory=set)
    """The names that a loop has bound, see :mod:`ddplint.analysis.memory.loop_names`."""
    whole: int = EVERYONE
    """The ranks that entered the arm: of those that have left it since, what they left behind is still there."""
    left_by: Trail | None = None
    """What the ranks that left were told apart by."""
    lists: set[int] = field(default_factory=set)
    """The containers whose elements are kept in their order."""

    def read(self, where: Location) -> Value | None:
        """The value at a location as the active ranks see it, or None."""
        found = self.store.get(where)
        return found if found is None or type(found) not in NARROWED else self.narrow(found)

    def write(self, where: Location, value: Value) -> None:
        """Set a location for the active ranks; those that have left the function or round keep what they had."""
        if self.mask != self.whole and self.mask:
            value = self._for_active(where, value)
        old = self.store.get(where)
        if self.journals:
            journal = self.journals[-1]
            if where not in journal:
                journal[where] = old
        if old is None:
            self._note(where)
        self.store[where] = value

    def held(self, owner: int) -> list[tuple[str, Value]]:
        """All that is held under a key of the store, in the order in which it came there."""
        store = self.store
        return [(name, store[owner, name]) for name in self._held.get(owner, ())]

    def _note(self, where: Location) -> None:
        self.names.setdefault(where[0], set()).add(where[1])
        self._held.setdefault(where[0], {})[where[1]] = None

    def _forget(self, where: Location) -> None:
        del self.store[where]
        held = self._held[where[0]]
        del held[where[1]]
        if not held:
            del self._held[where[0]]

    def hold(self, where: Location, value: Value) -> None:
        """What was always at a location that nobody has asked for yet, whoever is active."""
        self._note(where)
        self.store[where] = value

    def _for_active(self, where: Location, value: Value) -> Value:
        old = self.store.get(where)
        if old is None or old is UNBOUND or old == value or is_meetings(where) or definedness.is_note(where):
            return value
        if is_reshaped(value, old):
            return value
        return rank_join([value if self.mask >> rank & 1 else old for rank in range(WORLD_SIZE)], self.left_by)

    def store_all(self, writes: Mapping[Location, Value]) -> None:
        """What an arm has written stands, for nobody comes out of another."""
        for where, value in writes.items():
            self.write(where, value)

    def gather(self) -> None:
        """All ranks are here: an entry begins."""
        self.mask = EVERYONE

    def leave(self, way: Exit | None = None) -> None:
        """The active ranks go no further. Parameters: ``way``, how, where the trace is to say it."""
        if way is not None:
            self.trace.append(way)
        self.mask = 0

    def assume(self, literals: Iterable[tuple[Symbol, bool]]) -> None:
        """This holds from here on."""
        self.path = self.path.add_all(literals)

    def go_on_from(self, arm: Arm) -> None:
        """Nobody comes out of another arm: what was written, done and assumed in this one stands."""
        self.store_all(arm.writes)
        self.mask = arm.fall
        self.assume(arm.gained.items())
        self.trace += arm.nodes

    def narrow(self, value: Value) -> Value:
        """Drop what the active ranks and the assumptions of the path rule out."""
        if type(value) not in NARROWED:
            return value
        if type(value) is PerRank:
            active = ranks_of(self.mask)
            if not active:
                return value
            first = value.values[active[0]]
            if all(value.values[r] == first for r in active[1:]):
                return self.narrow(first)
            return value
        if type(value) is Either:
            known = self.path.get(value.symbol)
            if known is not None:
                return self.narrow(value.yes if known else value.no)
        return value

    def arm(self, mask: int, literal: tuple[Symbol, bool] | None, run: Callable[[], Value | None]) -> Arm:
        """Run one arm from the present store and take its writes back."""
        mask_before, path_before, trace_before, stays = self.mask, self.path, self.trace, self.stays
        whole, left_by = self.whole, self.left_by
        self.mask, self.trace = mask, []
        if literal is not None:
            self.path = path_before.add(*literal)
            if self.stays:
                self.mask = self._still_here(mask)
            if not self.mask:
                self.mask, self.path, self.trace = mask_before, path_before, trace_before
                return Arm(0, [], {}, 0, dict((literal,)), None)
        started = self.path
        self.whole = self.mask
        self.journals.append({})
        try:
            value = run()
            fall, nodes = self.mask, self.trace
            gained = self.path.since(started)
            if literal is not None:
                gained[literal[0]] = literal[1]
            inner = {what: who for what, who in self.stays.items() if what not in stays}
        finally:
            store, writes = self.store, {}
            for where, old in self.journals.pop().items():
                writes[where] = store[where]
                if old is None:
                    self._forget(where)
                else:
                    store[where] = old
            self.mask, self.path, self.trace, self.stays = mask_before, path_before, trace_before, stays
            self.whole, self.left_by = whole, left_by
        return Arm(mask, nodes, writes, fall, gained, value, inner)

    def together(self) -> Mapping[Symbol, bool]:
        """What must hold for all active ranks to be here at once: where some left, the others' way."""
        implied = {}
        for what, (yes, no) in self.stays.items():
            if self.path.get(what) is None and bool(self.mask & ~yes) != bool(self.mask & ~no):
                implied[what] = not self.mask & ~yes
        return {**self.path.known, **implied} if implied else self.path.known

    def _still_here(self, mask: int) -> int:
        """Those of some ranks that have not left on this path."""
        for what, (yes, no) in self.stays.items():
            known = self.path.get(what)
            if known is not None:
                mask &= yes if known else no
        return mask

    @contextmanager
    def watched(self) -> Iterator[dict[Location, Value | None]]:
        """What the locations written inside held before."""
        before: dict[Location, Value | None] = {}
        self.journals.append(before)
        try:
            yield before
        finally:
            self.journals.pop()
            if self.journals:
                self.journals[-1].update({k: v for k, v in before.items() if k not in self.journals[-1]})

    def begin_call(self) -> None:
        """A function begins: note what it writes."""
        self.journals.append({})

    def end_call(self, scope: int | None) -> None:
        """The function has ended. Nobody sees the names in its ``scope`` any more, unless that is ``None``."""
        journal = self.journals.pop()
        outer = self.journals[-1] if self.journals else None
        for where, old in journal.items():
            if old is None and where[0] == scope:
                self._forget(where)
            elif outer is not None and where not in outer:
                outer[where] = old

    def unwind(self, depth: int) -> None:
        """Calls were left by a limit: only ``depth`` journals stay, and know what was written since."""
        while len(self.journals) > depth:
            self.end_call(None)

    @contextmanager
    def unjournaled(self) -> Iterator[None]:
        """Writes inside stay, whatever arm is being walked (loading a module)."""
        saved = self.journals, self.mask, self.path, self.trace, self.stays
        whole, self.whole = self.whole, EVERYONE
        self.journals, self.mask, self.path, self.trace, self.stays = [], EVERYONE, PathCondition(), [], {}
        try:
            yield
        finally:
            self.journals, self.mask, self.path, self.trace, self.stays = saved
            self.whole = whole

    def join_split(self, arms: Sequence[Arm], trail: Trail | None, guard: Guard) -> Value | None:
        """Merge arms taken by different ranks behind ``guard``."""
        for where in _written(arms):
            if definedness.is_note(where):
                continue
            base = self.store.get(where, UNBOUND)
            unset = definedness.lacking(self, where) if where in self.partial else 0
            values = [base] * WORLD_SIZE
            for arm in arms:
                value = arm.writes.get(where, base)
                if value is not base and is_reshaped(value, base):
                    value = base
                for rank in ranks_of(arm.mask):
                    values[rank] = value
            self.write(where, _as_often(values) if is_meetings(where) else rank_join(values, trail))
            if (unset or base is UNBOUND) and where[1].isidentifier() and not guard.guess:
                definedness.note(self, where, unset or EVERYONE, arms, guard, trail)
        self.mask = _union(arm.fall for arm in arms)
        if self.mask != _union(arm.mask for arm in arms):
            self.left_by = trail
        if any(arm.value is not None for arm in arms):
            results: list[Value] = [UNBOUND] * WORLD_SIZE
            for arm in arms:
                for rank in ranks_of(arm.mask):
                    results[rank] = arm.value or UNBOUND
            return rank_join(_spread(results, arms), trail)
        return None

    def join_choice(self, what: Symbol, then: Arm, other: Arm, left: Arm | None = None) -> Value | None:
        """Merge two arms of a decision that is the same on all ranks; in ``left``, if given, the program is over."""
        store, first, second = self.store, then.writes, other.writes
        if left is not None:
            self.store_all(second if left is then else first)
            self._survive(then, other)
            return other.value if left is then else then.value
        for where in {**first, **second} if first and second else first or second:
            if definedness.is_note(where):
                continue
            base = store.get(where, UNBOUND)
            if where in self.partial:
                self.write(definedness.beside(where), definedness.joined(self, where, then, other))
            self.write(where, either(what, first.get(where, base), second.get(where, base)))
            if where[1] in self.bound and where not in self.partial:
                loop_names.join(self, where, base, (then, other))
        self._survive(then, other)
        if then.fall != other.fall and then.fall and other.fall:
            self.stays = {**self.stays, what: (then.fall, other.fall)}
        if then.stays or other.stays:
            self._stay_apart(what, then, other)
        if then.value is not None and other.value is not None:
            return either(what, then.value, other.value)
        return then.value or other.value

    def _stay_apart(self, what: Symbol, then: Arm, other: Arm) -> None:
        """Remember of decisions inside the arms that fewer ranks are here where they went one way."""
        found = {}
        for arm, beside, elsewhere in ((then, other, symbol("not", what)), (other, then, what)):
            for inner, (yes, no) in arm.stays.items():
                if yes & ~no:  # only where it is true, or the program went the other way, all of these are here
                    found[symbol("or", elsewhere, inner)] = (yes | beside.fall, no)
                elif no & ~yes:
                    found[symbol("or", elsewhere, symbol("not", inner))] = (no | beside.fall, yes)
        if len(self.stays) + len(found) <= limits.DECISIONS_TO_STAY:
            self.stays = {**self.stays, **found}

    def join_local(self, cause: Varying, then: Arm, other: Arm, left: Arm | None = None) -> Value | None:
        """Merge two arms between which each rank decides for itself; in ``left``, if given, the program is over."""
        for where in _written((then, other)):
            base = self.store.get(where, UNBOUND)
            yes, no = then.writes.get(where, base), other.writes.get(where, base)
            if left is not None:
                self.write(where, no if left is then else yes)
                continue
            if definedness.is_note(where):
                continue
            if where in self.partial:
                self.write(definedness.beside(where), definedness.joined(self, where, then, other))
            self.write(where, self.parted(where, cause, yes, no))
        self._survive(then, other)
        if left is None and then.value is not None and other.value is not None:
            return local_join(cause, then.value, other.value)
        return then.value or other.value

    def parted(self, where: Location, cause: Varying, yes: Value, no: Value) -> Value:
        """What a location holds after each rank took the arm it liked."""
        if where[1] != "":
            return local_join(cause, yes, no)
        return length_join(cause, yes, no, ordered=where[0] in self.lists)

    def _survive(self, then: Arm, other: Arm) -> None:
        self.mask = then.fall | other.fall
        if bool(then.fall) == bool(other.fall):
            gained = {k: v for k, v in then.gained.items() if other.gained.get(k) is v}
        else:
            gained = then.gained if then.fall else other.gained
        if gained:
            self.assume(gained.items())


def _written(arms: Iterable[Arm]) -> list[Location]:
    return list(dict.fromkeys(where for arm in arms for where in arm.writes))


def meetings(kind: str, group: str) -> Location:
    """Where it is kept how often ranks have met, by the kind of operation and the group."""
    return 0, f"met {kind} {group}"


ALONE: Location = (0, "alone")
"""Where it is kept that the process only imagines the others."""
FEWER: Location = (0, "fewer")
"""Where it is kept that some ranks had ended before the group of all was made, and that it was told of fewer."""


def is_meetings(where: Location) -> bool:
    """Whether a location is such a count."""
    return where[0] == 0 and where[1].startswith("met ")


def _as_often(values: Sequence[Value]) -> Value:
    """How often ranks have met that went different ways: all as often, or the comparison of the traces says so."""
    return values[0] if len(set(values)) == 1 else Unknown(fresh("met"))


def _union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result


def _spread(values: list[Value], arms: Sequence[Arm]) -> list[Value]:
    """Ranks that are not in any arm get some arm's value, so that equal arms collapse."""
    present = _union(arm.mask for arm in arms)
    spare = next((values[r] for r in ranks_of(present)), UNBOUND)
    return [values[r] if present >> r & 1 else spare for r in range(WORLD_SIZE)]
