"""What a comparison costs, and how far it goes before it gives up."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddplint.analysis.domain import limits


@dataclass(slots=True)
class Effort:
    """The steps that a comparison has made, and whether it was cut short somewhere.

    ``left_out``: the places (by identity) at which ranks part and that it did not follow to their end.
    """

    spent: int = 0
    limited: bool = False
    left_out: set[int] = field(default_factory=set)

    def is_used_up(self) -> bool:
        """Whether no further attempt is begun."""
        return self.spent > limits.COMPARISON_STEPS
