"""What ranks have a slice of each, once the program has picked one for every rank: out of a list, or by a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import PerRank, Unknown, Value, Varying
from ddplint.analysis.memory.shares import fitting, tried_sizes

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


def unequal(w: Interp, value: PerRank) -> Varying | None:
    """Each rank's part as its share, where parts of one whole have another number of elements on some rank."""
    found = tried_sizes.unequal_parts(value)
    if found is None or not found[1]:
        return None
    whole = Unknown(found[0]) if isinstance(found[0], Symbol) else found[0]
    if not isinstance(whole, Value) or fitting.evened(w, whole):
        return None
    return Varying(Reason.LENGTH, fresh("slice"), value.trail)


def as_share(w: Interp, value: Value) -> Value:
    """The same; any other value as it is."""
    return (unequal(w, value) or value) if type(value) is PerRank else value
