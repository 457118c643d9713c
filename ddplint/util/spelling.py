"""Words that may have been meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

_CODE = re.compile(r"[A-Za-z]+\d+")

if TYPE_CHECKING:
    from collections.abc import Iterable


def suggestion(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing where no known word is near."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


def rule_hint(word: str, known: Iterable[str]) -> str:
    """The same for rules: codes are alike by nature, so a far one is no guess; then where the list is."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.81 if _CODE.fullmatch(word) else 0.5)
    return f"; did you mean '{near[0]}'?" if near else " ('ddplint rules' lists them)"
