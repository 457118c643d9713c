"""What names are taken to mean by their spelling, where nothing else is known of them: ``[[guess]]`` in ``words.toml``.

Most keep findings away. The guide to certainty lists them.
"""

from __future__ import annotations

import re
from functools import cache

from ddplint.knowledge import tables


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The pattern of a guess. Raises ``KeyError`` where the tables have none of this name."""
    return re.compile(tables.read(tables.folder() / "index.json")["guesses"][name])
