"""What a rule can offer: a fix, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from ddplint.rule import Fix

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """A fix, or in one sentence what a person should do."""

    fix: Fix | None = None
    no_fix: str = ""
