"""Expressions as people write them: odd values in what trainers compute, compare, format, slice and call."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.crash import values
from tests.fuzz.draft import Draft

NAMES = values.entries("names")
COMPOUND = values.entries("compound")
RANKS = values.entries("ranks")
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@", "and", "or", "+", "-", "*", "%")
TESTS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in")
IN_TEXTS = ("best", "epoch", "loss", "rank", "1e309", "10**400", "-rank", "len([])", "epoch + 1", "best / 0")
"""What stands in an f-string of Python 3.10: no quotes, no backslash."""

_HOLE = re.compile(r"<([entckqo])>|<(==)>")


def fill(draft: Draft, template: str, depth: int) -> str:
    """A template with its holes filled.

    ``<e>`` any expression, ``<n>`` a number, ``<t>`` a text, ``<c>`` a container, ``<k>`` a condition, ``<q>`` what may
    stand in quotes, ``<o>`` an operator, ``<==>`` a comparison.
    """
    return _HOLE.sub(lambda found: _MAKERS[found[1] or found[2]](draft, depth), template)


def expression(draft: Draft, depth: int = 2) -> str:
    """Any expression."""
    if depth <= 0 or draft.maybe(35):
        return draft.pick(NAMES) if draft.maybe(55) else values.value(draft)
    return f"({fill(draft, draft.pick(COMPOUND), depth - 1)})"


def condition(draft: Draft, depth: int = 2) -> str:
    """What an ``if`` asks: mostly two things compared."""
    if draft.maybe(70):
        return f"{expression(draft, depth - 1)} {draft.pick(TESTS[:6])} {expression(draft, depth - 1)}"
    return draft.pick(RANKS) if draft.maybe(50) else expression(draft, depth)


_MAKERS: dict[str, Callable[[Draft, int], str]] = {
    "e": expression,
    "n": lambda draft, depth: values.number(draft) if draft.maybe(70) else draft.pick(NAMES),
    "t": lambda draft, depth: values.text(draft),
    "c": lambda draft, depth: values.container(draft),
    "k": condition,
    "q": lambda draft, depth: draft.pick(IN_TEXTS),
    "o": lambda draft, depth: draft.pick(OPERATORS),
    "==": lambda draft, depth: draft.pick(TESTS),
}
