"""Statements of trainers: odd values in what they keep, in how ranks meet and save, in each construct of Python."""

from __future__ import annotations

from tests.fuzz.crash.expressions import fill
from tests.fuzz.crash.values import entries
from tests.fuzz.draft import Draft, Lines

PLAIN, COMMUNICATE, FILES = entries("plain"), entries("communicate"), entries("files")
BLOCKS = entries("blocks", "\n\n")


def block(draft: Draft, depth: int, budget: int = 3) -> Lines:
    """Some statements."""
    return [line for _ in range(draft.number(1, budget)) for line in statement(draft, depth)]


def statement(draft: Draft, depth: int) -> Lines:
    """One statement, and what is in it."""
    if depth > 0 and draft.maybe(45):
        return _compound(draft, draft.pick(BLOCKS), depth - 1)
    template = draft.pick(draft.pick((PLAIN, PLAIN, COMMUNICATE, FILES)))
    return [fill(draft, template, 2)]


def _compound(draft: Draft, template: str, depth: int) -> Lines:
    lines: Lines = []
    for text in template.split("\n"):
        within = text[: len(text) - len(text.lstrip())]
        if text.strip() == "<s>":
            lines += [f"{within}{line}" for line in block(draft, depth, 2)]
        else:
            lines.append(fill(draft, text, 1))
    return lines
