"""Numbers of which each rank takes its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.memory.records import Life, Record


@dataclass(slots=True)
class SharedOut(Record):
    """Unknown numbers of which each rank takes its own, as ``if index % world_size != rank: continue`` does."""

    life = Life.FILE
    counters: set[Symbol] = field(default_factory=set)
