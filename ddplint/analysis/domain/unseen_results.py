"""Decisions that hang on what code out of sight has worked out of a model or its data.

The walk takes such a result to be the same on all ranks, since nothing says otherwise. It need not be: each rank may
have evaluated its own share. Nothing is reported for that, but nothing may be built on it either.
"""

from __future__ import annotations

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Instance, Object, Unknown, Varying, Wrapped

__all__ = ["hangs_on_results"]

_CALLS = frozenset({"call", "method", "computed", "left open"})
"""The heads of the names of what calls give that were not followed."""

_OF_TORCH = ("torch.nn.", "torch.utils.data.")
"""Objects that are models, or hold data."""


def hangs_on_results(what: Symbol, depth: int = limits.ASKED_DEPTH) -> bool:
    """Whether a condition asks for such a result, other than whether there is one at all.

    What ranks have agreed on is the same on all of them, whatever it was made of.
    """
    key = what.made_of
    if key[0] in ("agreed", "is") or not depth:
        return False
    if key[0] in _CALLS and any(_is_data(part, depth - 1) for part in key[1:]):
        return True
    return any(hangs_on_results(part, depth - 1) for part in map(_symbol_of, key[1:]) if part is not None)


def _symbol_of(part: object) -> Symbol | None:
    part = part.symbol if isinstance(part, Unknown) else part
    return part if isinstance(part, Symbol) else None


def _is_data(part: object, depth: int) -> bool:
    """Whether a part of a name is a model, or data of a rank, or made of them."""
    if isinstance(part, Object):
        return part.name.startswith(_OF_TORCH)
    if isinstance(part, (Wrapped, Varying, Instance)):
        return True
    inner = _symbol_of(part)
    if inner is None or not depth or inner.made_of[0] == "agreed":
        return False
    return any(_is_data(one, depth - 1) for one in inner.made_of[1:])
