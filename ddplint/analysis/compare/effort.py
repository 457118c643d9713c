"""What a comparison costs, and how far it goes before it gives up."""

from __future__ import annotations

from dataclasses import dataclass

_MAX_STEPS = 1500
_MAX_ALL = 60_000
_MAX_LAST = 12_000
"""Steps of the last attempt at a place, as long as there are some left of those that all such attempts share."""
_MAX_LASTS = 60_000


@dataclass(slots=True)
class Effort:
    """The steps that a comparison has made, and whether it was cut short somewhere."""

    spent: int = 0
    left: int = _MAX_LASTS
    limited: bool = False

    def is_used_up(self, more: int = 0) -> bool:
        """Whether no further attempt is begun; ``more``, what was spent elsewhere."""
        return self.spent + more > _MAX_ALL

    def allowed(self, last: bool) -> int:
        """The steps of one attempt at a place; the ``last`` one may take longer."""
        return max(_MAX_STEPS, min(_MAX_LAST, self.left)) if last else _MAX_STEPS

    def note(self, steps: int, allowed: int) -> None:
        """What an attempt has cost."""
        if allowed > _MAX_STEPS:
            self.left -= steps
        else:
            self.spent += steps
