"""How far a walk goes before it gives up: each number is a bound on work, none on what is right."""

from __future__ import annotations

LONG_STEPS = 60_000

SOFT_STEPS = 200_000

HARD_STEPS = 400_000

FILE_STEPS = 800_000

MAX_DEPTH = 40

MAX_MODULES = 60
