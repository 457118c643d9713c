"""What holds at a place of a walk: set for a block, and back as it was however the block is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ddplint.analysis.memory.frames import Held
from ddplint.analysis.memory.protocol import Interp

_OF_STATE = frozenset({"mask", "path", "stays"})


class Saved:
    """A block in which some of it is something else. What the block makes of it is forgotten."""

    __slots__ = ("_held", "_old", "_w")

    def __init__(self, w: Interp, held: Held) -> None:
        self._w = w
        self._held = held
        self._old: Sequence[Any] = ()

    def __enter__(self) -> None:
        w, state = self._w, self._w.state
        self._old = [getattr(state if name in _OF_STATE else w, name) for name in self._held]
        for name, value in self._held.items():
            setattr(state if name in _OF_STATE else w, name, value)

    def __exit__(self, *_: object) -> None:
        w, state = self._w, self._w.state
        for name, value in zip(self._held, self._old, strict=True):
            setattr(state if name in _OF_STATE else w, name, value)
