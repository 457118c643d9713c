"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FAIL", "NOT_RUN", "OK", "WARN", "Result"]

OK, WARN, FAIL, NOT_RUN = "ok", "warning", "FAILED", "not run"


@dataclass(frozen=True)
class Result:
    """One line: ``verdict`` is one of the four constants of this module; ``rank`` is -1 where it holds for the job."""

    check: str
    verdict: str
    text: str
    rank: int = -1

    def __str__(self) -> str:
        who = f" [rank {self.rank}]" if self.rank >= 0 else ""
        return f"{self.verdict:8} {self.check}{who}: {self.text}"
