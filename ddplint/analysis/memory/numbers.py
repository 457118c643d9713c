"""Numbers that a walk reasons about: what divides, how many elements a mask selects, what counts on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import either, project, rank_join, trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Len, Operation, Symbol
from ddplint.analysis.domain.values import (
    WORLD_SIZE,
    Const,
    Container,
    Either,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    varying_in,
)
from ddplint.analysis.memory.records import Life, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ddplint.analysis.memory.journal import Location
    from ddplint.analysis.memory.protocol import Interp


_NOTHING_LEFT: dict[object, bool] = {"==": True, "!=": False, ">": False}
"""How a comparison of what is left with 0 comes out where nothing is left."""

_SUMS = frozenset({"+", "-"})


@dataclass(slots=True)
class SharedOut(Record):
    """Unknown numbers of which each rank takes its own, as ``if index % world_size != rank: continue`` does."""

    life = Life.FILE
    counters: set[Symbol] = field(default_factory=set)


@dataclass(slots=True)
class Sizes(Record):
    """Unknown numbers that are how many processes there are."""

    life = Life.FILE
    symbols: set[Symbol] = field(default_factory=set)


def is_checked(w: Interp, base: Value, step: Value | None = None) -> bool:
    """Whether it was checked on the way here that the elements of a sequence, or a number, divide by the ranks.

    Of a number (the stop of a range) it is enough that it is worked out from one that divides.
    """
    for number in _divided(w, step):
        if isinstance(base, Unknown) and (base.symbol is number or number in _parts(base.symbol)):
            return True
        if isinstance(number, Len) and number.of in (base, getattr(base, "symbol", base)):
            return True
    return False


def _divided(w: Interp, step: Value | None) -> Iterator[Symbol]:
    """The numbers that are known on this path to divide by the number of ranks."""
    for what, holds in w.state.path.known.items():
        rest = what
        if isinstance(what, Operation) and (nothing := _NOTHING_LEFT.get(what.sign)) is not None:
            left, against = what.operands
            if against == Const(0) and isinstance(left, Symbol):
                rest, holds = left, holds is not nothing
        if not holds and isinstance(rest, Operation) and rest.sign == "%" and counts_ranks(rest.operands[1], step):
            yield from (part for part in rest.operands[:1] if isinstance(part, Symbol))


def counts_ranks(part: object, step: Value | None) -> bool:
    """Whether a part of a name is the number of ranks: the known one, or the ``step`` in which ranks go."""
    return part == Const(WORLD_SIZE) or (isinstance(step, Unknown) and part is step.symbol)


def holds_multiple(what: Symbol, step: Value | None) -> bool:
    """Whether a multiple of the number of ranks went into something, or a number was brought to one.

    ``n - n % ranks`` is one, and so is ``n + (ranks - n % ranks) % ranks``: the rest taken off, or filled up.
    """
    return any(
        (_is_product(one.whole) and any(counts_ranks(part, step) for part in one.whole.parts[1:]))
        or _is_brought_to(one, step)
        for one in _parts(what)
    )


def _is_product(what: Symbol) -> bool:
    return isinstance(what, Operation) and what.sign == "*"


def _is_brought_to(what: Symbol, step: Value | None) -> bool:
    """Whether a sum or difference of a number is with what is left of it by the number of ranks."""
    made = what.whole
    if not isinstance(made, Operation) or made.sign not in _SUMS:
        return False
    inside = (one.whole for part in made.operands if isinstance(part, Symbol) for one in _parts(part))
    rests = (one.operands for one in inside if isinstance(one, Operation) and one.sign == "%")
    return any(number in made.operands and counts_ranks(by, step) for number, by in rests)


def _parts(what: Symbol) -> Iterator[Symbol]:
    """A name and what it is made of."""
    rest, seen = [what], set[Symbol]()
    while rest and len(seen) < limits.NUMBER_PARTS:
        one = rest.pop()
        yield one
        seen.add(one)
        rest += [part for part in one.whole.symbols if part not in seen]


SIZES = frozenset({"numel", "shape", "size"})
"""What asks how many elements there are, as attributes and methods."""

_SELECTED = "selected"

_SELECTING_ALONE = "where"
"""Selects where it is given a condition and nothing else."""

_KEEPING = frozenset({"bool", "int", "long", "numpy", "tolist"})
"""Gives the same elements once more, as another thing."""

_COMPARED = frozenset({"<", "==", "<=", ">", ">=", "!="})

_JOINED = frozenset({"&", "|"})


def is_selected(value: Value) -> bool:
    """Whether a value has as many elements as the rank's own data says."""
    return isinstance(value, Varying) and value.symbol.head == _SELECTED


def size_of(value: Varying) -> Varying:
    """How many elements were selected."""
    return Varying(Reason.LENGTH, symbol("len", value.symbol), value.trail)


def by_mask(w: Interp, base: Value, index: Value) -> Varying | None:
    """``base[mask]``, where the mask is of the rank's own data, or ``where(mask)[0]``; None for any other index."""
    if isinstance(base, Varying) and isinstance(index, Const) and _is_of_axes(base):
        return base
    if not isinstance(index, Varying) or index.reason is not Reason.DATA or not _is_mask(w, index.symbol):
        return None
    if not isinstance(base, (Unknown, Varying)):
        return None
    return Varying(Reason.DATA, symbol(_SELECTED, base.symbol, index.symbol), index.trail, base.source)


def _is_of_axes(base: Varying) -> bool:
    """Whether there is one tensor for each axis."""
    given = base.symbol.whole.parts[0] if is_selected(base) else None
    return isinstance(given, Symbol) and str(given.whole.parts[0]).rpartition(".")[2] == _SELECTING_ALONE


def _is_mask(w: Interp, what: Symbol) -> bool:
    made = what.made_of
    if made[0] == "op":
        inner = [part for part in made[2:] if isinstance(part, Symbol)]
        return made[1] in _COMPARED or (made[1] in _JOINED | {"unary ~"} and any(_is_mask(w, part) for part in inner))
    if made[0] == "not":
        return isinstance(made[1], Symbol) and _is_mask(w, made[1])
    called = str(made[1]).rpartition(".")[2] if made[0] in ("call", "method") else ""
    return called in w.knowledge.quiet("masking")


def result(w: Interp, head: Sequence[object], args: Sequence[Value], given: Value) -> Value:
    """What a call gives, known as a selection where it is one: of the rank's data, or the same elements once more.

    Parameters: ``head``, what names the result of the call; ``given``, the result.
    """
    if not isinstance(given, Varying) or given.reason is not Reason.DATA or head[0] not in ("call", "method"):
        return given
    name = str(head[1]).rpartition(".")[2]
    selects = name in w.knowledge.quiet("selecting") or (name == _SELECTING_ALONE and len(args) == 1)
    if selects or (name in _KEEPING and args and is_selected(args[0])):
        return Varying(given.reason, symbol(_SELECTED, given.symbol), given.trail, given.source)
    return given


_Pairs = dict[tuple[Value, Value], Value]


def widen(w: Interp, before: Mapping[Location, Value | None]) -> bool:
    """Forget the numbers that a round changed, so that the next one stands for all that follow.

    Parameters: ``before``, what the locations written in the round held when it began. Returns whether there were any,
    those that each rank counts for itself among them.
    """
    same: _Pairs = {}
    found = False
    for where, old in before.items():
        new = w.state.store.get(where)
        if old is not None and new is not None and old != new:
            wider = _longer(new) if _grew(w, where, old, new) else _wider(old, new, same)
            if wider != new:
                w.state.write(where, wider)
            found |= wider != new or (_is_number(old) and isinstance(new, (Either, Varying)))
    return found


_MEASURED = "measured"


def note_measured(w: Interp, value: Value) -> None:
    """In a loop it is asked how long a list is."""
    if isinstance(value, Container) and w.around:
        w.marks.add((_MEASURED, value.id))


def _grew(w: Interp, where: Location, old: Value, new: Value) -> bool:
    """Whether a round put something into a list whose length the loop asks for: it has any length some time."""
    measured = where[1] == "" and (_MEASURED, where[0]) in w.marks
    return measured and isinstance(old, Tuple) and isinstance(new, Tuple) and len(old.items) < len(new.items)


def _longer(content: Value) -> Value:
    local = varying_in(content)
    if local is None:
        return Unknown(fresh("content"))
    return Varying(local.reason, fresh("content"), local.trail, local.source)


def _wider(old: Value, new: Value, same: _Pairs) -> Value:
    if old == new:
        return new
    if isinstance(new, PerRank) or (isinstance(old, PerRank) and isinstance(new, Const)):
        ranks = [_wider(project(old, rank), project(new, rank), same) for rank in range(WORLD_SIZE)]
        return rank_join(ranks, trail_of(new) or trail_of(old))
    if isinstance(new, Either) and new.local is None:
        return either(new.symbol, _wider(old, new.yes, same), _wider(old, new.no, same))
    if _is_number(old) and _is_number(new):
        return same.setdefault((old, new), Unknown(fresh("counted")))
    return new


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
