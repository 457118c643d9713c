"""What the program has set in unknown objects before they were joined: settings read from one file or another."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.join import either, joined_of
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Unknown, Value, Varying
from ddplint.analysis.memory.protocol import Interp

_JOINS = 4
"""Joins of joins that are followed to what was set before them."""


def as_set_before(w: Interp, base: Unknown | Varying, name: str, node: cst.CSTNode) -> Value | None:
    """What an unknown that was joined from two has, where the program has set it on one of them; else None."""
    joined = joined_of(base.symbol)
    if joined is None or not _was_set(w, base.symbol, name, _JOINS):
        return None
    what, *sides = joined
    yes, no = (w.semantics.get(w, Unknown(side, base.source), name, node) for side in sides)
    return either(what, yes, no)


def _was_set(w: Interp, made: Symbol, name: str, depth: int) -> bool:
    """Whether the program has set an attribute of one of the unknowns that were joined."""
    joined = joined_of(made) if depth > 0 else None
    return joined is not None and any(
        (w.owner(side), name) in w.state.store or _was_set(w, side, name, depth - 1) for side in joined[1:]
    )
