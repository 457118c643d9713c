"""What a comparison costs, and how far it goes before it gives up."""

from __future__ import annotations

from dataclasses import dataclass

from ddplint.analysis.domain import limits


@dataclass(slots=True)
class Effort:
    """The steps that a comparison has made, and whether it was cut short somewhere."""

    spent: int = 0
    limited: bool = False

    def is_used_up(self, more: int = 0) -> bool:
        """Whether no further attempt is begun; ``more``, what was spent elsewhere."""
        return self.spent + more > limits.COMPARISON_STEPS
