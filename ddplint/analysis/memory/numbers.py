"""Numbers that a walk reasons about: what divides, how many elements a mask selects, what counts on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ddplint.analysis.domain.join import either, project, rank_join, trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.provenance import is_field_of_sample
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Called, Item, Not, Operation, Selected, Symbol
from ddplint.analysis.domain.values import (
    WORLD_SIZE,
    Const,
    Container,
    Either,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    varying_in,
)
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record


@dataclass(slots=True)
class Sizes(Record):
    """Unknown numbers that are how many processes there are."""

    life = Life.FILE
    symbols: set[Symbol] = field(default_factory=set)


@dataclass(slots=True)
class FirstNumbers(Record):
    """What the first number of a range is that has another beginning than 0, by what stands for it."""

    life = Life.FILE
    of: dict[Symbol, Value] = field(default_factory=dict)


def note_first(w: Interp, source: Value, number: Value) -> None:
    """The first round of a loop over ``range(begin, end)`` has ``begin``."""
    args = source.args if isinstance(source, Object) and source.name == "builtins.range" else ()
    if len(args) > 1 and isinstance(number, Unknown) and isinstance(args[0], (Unknown, Either)):
        w.record(FirstNumbers).of[number.symbol] = args[0]


def is_first(w: Interp, number: Value, begin: Value) -> bool:
    """Whether a number is the first of a range that begins so."""
    known = w.record(FirstNumbers).of.get(number.symbol) if isinstance(number, Unknown) else None
    return known is not None and begin in (known, w.state.narrow(known))


@dataclass(slots=True)
class Measured(Record):
    """What of a rank's own batch it was asked how many elements there are, by what stands for that number.

    ``listed``: such numbers by the list that a comprehension made of them.
    """

    life = Life.FILE
    of: dict[Symbol, Varying] = field(default_factory=dict)
    listed: dict[int, Unknown] = field(default_factory=dict)


SIZES = frozenset({"numel", "shape", "size"})
"""What asks how many elements there are, as attributes and methods."""

_SELECTED = "selected"

_SELECTING_ALONE = "where"
"""Selects where it is given a condition and nothing else."""

_BY_AXES = frozenset({_SELECTING_ALONE, "nonzero"})
"""May give what they select as one tensor for each axis."""

_KEEPING = frozenset({"bool", "flatten", "int", "long", "numpy", "ravel", "squeeze", "tolist"})
"""Gives the same elements once more, as another thing; what is put together of some has as many of each."""

_COMPARED = frozenset({"<", "==", "<=", ">", ">=", "!="})

_JOINED = frozenset({"&", "|"})


def is_selected(value: Value) -> bool:
    """Whether a value has as many elements as the rank's own data says."""
    return isinstance(value, Varying) and isinstance(value.symbol.whole, Selected)


def size_of(value: Varying) -> Varying:
    """How many elements were selected."""
    return Varying(Reason.LENGTH, symbol("len", value.symbol), value.trail)


def note_size(w: Interp, whole: Varying, size: Unknown) -> Unknown:
    """How many elements a field of a batch has: as many on all ranks, unless it is asked whether there are any."""
    if whole.reason is Reason.DATA and is_field_of_sample(whole.symbol):
        w.record(Measured).of[size.symbol] = whole
    return size


def note_listed(w: Interp, made: Container, found: Sequence[Value]) -> None:
    """A comprehension lists such numbers."""
    measured = w.record(Measured)
    for one in found[:1]:
        if isinstance(one, Unknown) and one.symbol in measured.of:
            measured.listed[made.id] = one


def whether_any_listed(w: Interp, listed: Value) -> Varying | None:
    """What ``any(len(one["boxes"]) for one in batch)`` asks of each element, where ``listed`` is such a list."""
    number = w.record(Measured).listed.get(listed.id) if isinstance(listed, Container) else None
    asked = whether_any(w, number) if number is not None else None
    return asked if isinstance(asked, Varying) else None


def whether_any(w: Interp, value: Value) -> Value:
    """What a test for emptiness asks, where ``value`` is the size of a field: batches have equally many, or none.

    A program that asks whether there are any has batches without them, and which rank gets one its data says.
    """
    what = value.symbol if isinstance(value, Unknown) else None
    known = w.record(Measured).of
    if what is None or not known:
        return value
    whole = known.get(what) or (
        known.get(what.base) if isinstance(what, Item) and isinstance(what.base, Symbol) else None
    )
    return value if whole is None else Varying(whole.reason, symbol("truth", whole.symbol), whole.trail, whole.source)


def by_mask(w: Interp, base: Value, index: Value) -> Varying | None:
    """``base[mask]``, where the mask is of the rank's own data, or one axis of ``where(mask)``; None for others."""
    if isinstance(base, Varying) and isinstance(index, Const) and _is_of_axes(base):
        return base
    if not isinstance(index, Varying) or index.reason is not Reason.DATA or not is_mask(w, index.symbol):
        return None
    if not isinstance(base, (Unknown, Varying)):
        return None
    return Varying(Reason.DATA, symbol(_SELECTED, base.symbol, index.symbol), index.trail, base.source)


def _is_of_axes(base: Varying) -> bool:
    """Whether there is one tensor for each axis."""
    made = base.symbol.whole
    given = made.of.whole if isinstance(made, Selected) and isinstance(made.of, Symbol) else None
    return isinstance(given, Called) and given.last_name in _BY_AXES


def is_mask(w: Interp, what: Symbol) -> bool:
    """Whether a term says of each element whether it is meant: a comparison, or what is put together of some."""
    made = what.whole
    if isinstance(made, Operation):
        joined = made.sign in _JOINED | {"unary ~"}
        return made.sign in _COMPARED or (joined and any(is_mask(w, part) for part in made.symbols))
    if isinstance(made, Not):
        return isinstance(made.inner, Symbol) and is_mask(w, made.inner)
    return isinstance(made, Called) and made.last_name in w.knowledge.quiet("masking")


def result(w: Interp, head: Sequence[object], args: Sequence[Value], given: Value) -> Value:
    """What a call gives, known as a selection where it is one: of the rank's data, or the same elements once more.

    Parameters: ``head``, what names the result of the call; ``given``, the result.
    """
    if not isinstance(given, Varying) or given.reason is not Reason.DATA or head[0] not in ("call", "method"):
        return given
    name = str(head[1]).rpartition(".")[2]
    selects = name in w.knowledge.quiet("selecting") or (name == _SELECTING_ALONE and len(args) == 1)
    together = args[0].items if args and isinstance(args[0], Tuple) and name in w.knowledge.quiet("stacking") else ()
    if selects or (name in _KEEPING and args and is_selected(args[0])) or any(map(is_selected, together)):
        return Varying(given.reason, symbol(_SELECTED, given.symbol), given.trail, given.source)
    return given


_Pairs = dict[tuple[Value, Value], Value]


def widen(w: Interp, before: Mapping[Location, Value | None]) -> bool:
    """Forget the numbers that a round changed, so that the next one stands for all that follow.

    Parameters: ``before``, what the locations written in it held when it began. Returns whether there were any,
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


def counted(old: Value, new: Value) -> Value:
    """What a location holds some time after it went from one value to another: of a number nobody knows how far."""
    return _wider(old, new, {})


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
