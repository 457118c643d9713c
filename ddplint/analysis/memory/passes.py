"""The forward passes of wrapped models that are being walked."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddplint.analysis.domain.values import Wrapped
from ddplint.analysis.memory.records import Life, Record


@dataclass(frozen=True)
class Pass:
    """A forward pass of a wrapped ``model``: its ``number``, and how many calls were active when it began."""

    model: Wrapped
    number: int
    depth: int


@dataclass(slots=True)
class Passes(Record):
    """The forward passes of wrapped models that are being walked, the outermost first."""

    life = Life.SCOPED
    running: list[Pass] = field(default_factory=list)
