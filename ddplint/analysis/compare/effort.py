"""What a comparison costs, and how far it goes before it gives up."""

from __future__ import annotations

from dataclasses import dataclass

from ddplint.analysis.domain import limits


@dataclass(slots=True)
class Effort:
    """The steps that a comparison has made, and whether it was cut short somewhere."""

    spent: int = 0
    left: int = limits.LAST_ATTEMPTS_STEPS
    limited: bool = False

    def is_used_up(self, more: int = 0) -> bool:
        """Whether no further attempt is begun; ``more``, what was spent elsewhere."""
        return self.spent + more > limits.COMPARISON_STEPS

    def allowed(self, last: bool) -> int:
        """The steps of one attempt at a place; the ``last`` one may take longer."""
        return max(limits.ATTEMPT_STEPS, min(limits.LAST_ATTEMPT_STEPS, self.left)) if last else limits.ATTEMPT_STEPS

    def note(self, steps: int, allowed: int) -> None:
        """What an attempt has cost."""
        if allowed > limits.ATTEMPT_STEPS:
            self.left -= steps
        else:
            self.spent += steps
