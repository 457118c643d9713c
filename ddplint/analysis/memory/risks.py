"""What may raise on one rank alone, counted as the walk meets it."""

from __future__ import annotations

from dataclasses import dataclass

from ddplint.analysis.trace.nodes import Kinds

_BROKEN: Kinds = frozenset(kind.__name__ for kind in RuntimeError.__mro__)


@dataclass(slots=True)
class Risks:
    """How many calls so far might have raised.

    ``anything``: with an exception of any class. ``broken``: only with what a broken process group raises, a
    ``RuntimeError`` (``torch.distributed.DistError`` and its subclasses are such).
    """

    anything: int = 0
    broken: int = 0

    def so_far(self) -> Risks:
        """The present count, which does not change any more."""
        return Risks(self.anything, self.broken)

    def since(self, before: Risks) -> Risks:
        """The calls after an earlier count."""
        return Risks(self.anything - before.anything, self.broken - before.broken)

    def reach(self, caught: Kinds) -> bool:
        """Whether what may be raised may come to a handler of these classes."""
        return bool(self.anything) or bool(self.broken and (not caught or caught & _BROKEN))
