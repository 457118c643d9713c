"""What is made when it is first asked for: ``if self._model is None: self._model = build()``."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.join import either, rank_join
from ddplint.analysis.domain.symbols import GIVEN, symbol
from ddplint.analysis.domain.values import FALSE, Either, Instance, PerRank, Unknown, Value, Varying
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record


@dataclass(slots=True)
class Supplied(Record):
    """Fields that were asked whether they are ``None`` and set then."""

    life = Life.FILE
    places: set[tuple[int, str]] = field(default_factory=set)


def asked(w: Interp, test: cst.BaseExpression) -> Location | None:
    """The attribute of a project object that a test compares with ``None``."""
    if type(test) is not cst.Comparison or len(test.comparisons) != 1:
        return None
    against, target = test.comparisons[0], test.left
    if type(against.operator) is not cst.Is or type(against.comparator) is not cst.Name:
        return None
    if against.comparator.value != "None" or type(target) is not cst.Attribute:
        return None
    base = w.semantics.evaluate(w, target.value) if type(target.value) is cst.Name else None
    return (base.id, target.attr.value) if isinstance(base, Instance) else None


def still_missing(w: Interp, where: Location, missing: Value) -> Value:
    """The answer of such a test: what was made earlier in the walk is there, though nothing is known of it now."""
    if where not in w.record(Supplied).places:
        return missing
    seen = w.state.narrow(missing)
    if isinstance(seen, Either) and seen.local is None:
        return either(seen.symbol, still_missing(w, where, seen.yes), still_missing(w, where, seen.no))
    if isinstance(seen, PerRank):
        return rank_join([still_missing(w, where, one) for one in seen.values], seen.trail)
    return FALSE if isinstance(seen, (Either, Unknown, Varying)) else seen


def supplied(w: Interp, where: Location) -> None:
    """The block behind such a test has run: what it left in the attribute is there to be something."""
    made = w.state.read(where)
    if isinstance(made, Unknown) and not made.symbol.is_there:
        w.state.write(where, Unknown(symbol("supplied", made.symbol, GIVEN), made.source))
