"""Values as people write them: numbers without end or of odd sizes, empty things, texts of any alphabet."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.draft import Draft

GRAMMAR = Path(__file__).parent / "grammar"
LONG_NUMBERS = ("9" * 300, "9" * 5000, "0x" + "f" * 5000, "1" * 400 + ".5")

_SIGNS = (" ", "*", "-", ".", "not", "j")


def entries(name: str, between: str = "\n") -> tuple[str, ...]:
    """What a file of the grammar holds."""
    text = (GRAMMAR / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(entry for entry in text.rstrip("\n").split(between) if entry)


NUMBERS = (*entries("numbers"), *LONG_NUMBERS)
TEXTS = entries("texts")
CONTAINERS = entries("containers")


def number(draft: Draft) -> str:
    """A number, or what stands for one."""
    return _apart(draft.pick(NUMBERS))


def text(draft: Draft) -> str:
    """A text."""
    return _apart(draft.pick(TEXTS))


def container(draft: Draft) -> str:
    """Something with elements, mostly none."""
    return _apart(draft.pick(CONTAINERS))


def value(draft: Draft) -> str:
    """Any of them."""
    return draft.pick((number, number, text, container))(draft)


def _apart(written: str) -> str:
    """In parentheses where an operator may take it apart."""
    return f"({written})" if any(sign in written for sign in _SIGNS) else written
