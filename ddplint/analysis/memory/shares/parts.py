"""What ranks have a slice of each, once the program has picked one for every rank: out of a list, or by a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, Container, Object, PerRank, Trail, Unknown, Value, Varying
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.shares import fitting, sifted, tried_sizes
from ddplint.analysis.memory.shares.turns import Counted

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class Rounds(Record):
    """What lists hold that have one element for each iteration of a loop."""

    life = Life.FILE
    elements: dict[int, Unknown] = field(default_factory=dict)


def note_rounds(w: Interp, whole: Container, element: Value) -> None:
    """A list was built with one such element for each iteration of a loop, always alike."""
    if isinstance(element, Unknown):
        w.record(Rounds).elements[whole.id] = element


def of_rounds(w: Interp, whole: Container, index: PerRank) -> Varying | None:
    """The share of each rank that takes its own element of such a list: a slice of as many as are left at its end."""
    element = w.record(Rounds).elements.get(whole.id)
    places = [one.value for one in index.values if isinstance(one, Const) and isinstance(one.value, int)]
    if element is None or fitting.evened(w, whole) or len(places) < len(index.values) or min(places) < 0:
        return None
    through = w.record(Counted).through
    counted = [one for one in element.symbol.within(limits.TERM_PARTS) if one in through]
    source = through[counted[0]] if len(set(counted)) == 1 else None
    if not isinstance(source, Object):
        return None
    return _share(w, tried_sizes.unequal_rounds(element.symbol, counted[0], source, places), index.trail)


def unequal(w: Interp, value: PerRank) -> Varying | None:
    """Each rank's part as its share, where parts of one whole have another number of elements on some rank."""
    if sifted.by_some(w, value):
        return Varying(Reason.LENGTH, fresh("filtered"), value.trail)
    return _share(w, tried_sizes.unequal_parts(value), value.trail)


def _share(w: Interp, found: tuple[object, bool] | None, trail: Trail | None) -> Varying | None:
    """Parameters: ``found``, what was cut, and whether parts have another number of elements on some rank."""
    if found is None or not found[1]:
        return None
    whole = Unknown(found[0]) if isinstance(found[0], Symbol) else found[0]
    if not isinstance(whole, Value) or fitting.evened(w, whole):
        return None
    return Varying(Reason.LENGTH, fresh("slice"), trail)


def as_share(w: Interp, value: Value) -> Value:
    """The same; any other value as it is."""
    return (unequal(w, value) or value) if type(value) is PerRank else value
