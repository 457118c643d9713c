"""The repair of a divergence, read when there is one: most runs find nothing."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.rule import Answer, Divergence, Walk


def repair_of(divergence: Divergence, walks: Sequence[Walk]) -> Answer:
    """What brings the ranks together again."""
    from ddplint_rules.fixes.repair import repaired

    return repaired(divergence, walks)
