"""Text as Markdown shows it as it is."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def literal(text: str) -> str:
    """``text`` on one line, each character as it stands."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def prose(text: str) -> str:
    """The same for a sentence of ours: what stands in backticks becomes code (also in a table, where ``|`` parts)."""
    parts = _SPAN.split(" ".join(text.split()))
    return "".join(_code(part) if number % 2 else _SPECIAL.sub(r"\\\1", part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    return f"`{text}`" if "|" not in text else _SPECIAL.sub(r"\\\1", f"`{text}`")
