"""What a filter has left of a sequence: fewer elements than the whole has, which other ranks may still go through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.values import UNBOUND, PerRank, Value
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.shares import fitting

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class FilteredOf(Record):
    """Of what sequence a filter has left what stands for its result."""

    life = Life.FILE
    wholes: dict[object, object] = field(default_factory=dict)


def note(w: Interp, left: Value, whole: Value) -> None:
    """A filter that nothing is known of has taken elements out of ``whole``; ``left`` is its result."""
    key, source = terms.key_of(left), terms.key_of(whole)
    if key != source:
        w.record(FilteredOf).wholes[key] = source


def by_some(w: Interp, column: PerRank) -> bool:
    """Whether some ranks have a sequence as it was, and others what a filter of theirs has left of it.

    Not where something was done since to make it fit.
    """
    wholes = w.record(FilteredOf).wholes
    parts = {terms.key_of(part): part for part in column.values if part is not UNBOUND}
    for key, part in parts.items():
        above, seen = wholes.get(key), {key}
        while above is not None and above not in seen:
            if above in parts and not fitting.evened(w, part):
                return True
            seen.add(above)
            above = wholes.get(above)
    return False
