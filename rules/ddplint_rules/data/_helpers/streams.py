"""Data sets that give their samples themselves, one after the other: no sampler shares these out."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Effect, Event, Walk
from ddplint.rule.code import SourceFile, last_part, words_behind

REMEDY = "let the data set give each rank a share of its own (no sampler can do that for an IterableDataset)"


def is_stream(made: Event) -> bool:
    """Whether the data set of a loader is one that is only gone through, of a class of the project."""
    return any(last_part(base.value) == "IterableDataset" for _, cls in _classes(made) for base in cls.bases)


def draws_for_itself(walk: Walk, made: Event) -> bool:
    """Whether such a data set draws, and nothing has each rank draw the same: then ranks see other samples each."""
    if not is_stream(made) or any(event.details["alike"] for event in walk.doing(Effect.SEED)):
        return False
    words = [word.lower() for file, cls in _classes(made) for word in words_behind(file, cls)]
    draws = any("shuffle" in word or "rand" in word for word in words)
    return draws and not any("seed" in word for word in words)


def _classes(made: Event) -> Iterator[tuple[SourceFile, cst.ClassDef]]:
    known = made.details.get("data_class")
    yield from () if known is None else (known,)
    yield from made.details.get("within", ())
