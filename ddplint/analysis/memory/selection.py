"""Tensors that have as many elements as each rank's own data says: ``x[x > 0]``, ``mask.nonzero()``, ``x.unique()``.

Batches of all ranks mostly have one shape, so that asking for it is no decision of a rank alone. What was selected from
them has a length of its own on each rank: ``len``, ``numel`` and ``shape`` of it differ, and a loop over it makes other
rounds. What is worked out from it (a loss, an output of a model) is data like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.values import Const, Unknown, Value, Varying

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

__all__ = ["SIZES", "by_mask", "is_selected", "result", "size_of"]

SIZES = frozenset({"numel", "shape", "size"})
"""What asks how many elements there are, as attributes and methods."""
_SELECTED = "selected"
_SELECTING_ALONE = "where"
"""Selects where it is given a condition and nothing else."""
_KEEPING = frozenset({"bool", "int", "long", "numpy", "tolist"})
"""Gives the same elements once more, as another thing."""
_COMPARED = frozenset({"<", "==", "<=", ">", ">=", "!="})
_JOINED = frozenset({"&", "|"})


def is_selected(value: Value) -> bool:
    """Whether a value has as many elements as the rank's own data says."""
    return isinstance(value, Varying) and value.symbol.made_of[0] == _SELECTED


def size_of(value: Varying) -> Varying:
    """How many elements were selected."""
    return Varying(Reason.LENGTH, symbol("len", value.symbol), value.trail)


def by_mask(w: Walker, base: Value, index: Value) -> Varying | None:
    """``base[mask]``, where the mask is of the rank's own data, or ``where(mask)[0]``; None for any other index."""
    if isinstance(base, Varying) and isinstance(index, Const) and _is_of_axes(base):
        return base
    if not isinstance(index, Varying) or index.reason is not Reason.DATA or not _is_mask(w, index.symbol):
        return None
    if not isinstance(base, (Unknown, Varying)):
        return None
    return Varying(Reason.DATA, symbol(_SELECTED, base.symbol, index.symbol), index.trail, base.source)


def _is_of_axes(base: Varying) -> bool:
    """Whether there is one tensor for each axis."""
    given = base.symbol.made_of[1] if is_selected(base) else None
    return isinstance(given, Symbol) and str(given.made_of[1]).rpartition(".")[2] == _SELECTING_ALONE


def _is_mask(w: Walker, what: Symbol) -> bool:
    made = what.made_of
    if made[0] == "op":
        inner = [part for part in made[2:] if isinstance(part, Symbol)]
        return made[1] in _COMPARED or (made[1] in _JOINED | {"unary"} and any(_is_mask(w, part) for part in inner))
    if made[0] == "not":
        return isinstance(made[1], Symbol) and _is_mask(w, made[1])
    called = str(made[1]).rpartition(".")[2] if made[0] in ("call", "method") else ""
    return called in w.knowledge.quiet("masking")


def result(w: Walker, head: Sequence[object], args: Sequence[Value], given: Value) -> Value:
    """What a call gives, known as a selection where it is one: of the rank's data, or the same elements once more.

    Parameters: ``head``, what names the result of the call; ``given``, the result.
    """
    if not isinstance(given, Varying) or given.reason is not Reason.DATA or head[0] not in ("call", "method"):
        return given
    name = str(head[1]).rpartition(".")[2]
    selects = name in w.knowledge.quiet("selecting") or (name == _SELECTING_ALONE and len(args) == 1)
    if selects or (name in _KEEPING and args and is_selected(args[0])):
        return Varying(given.reason, symbol(_SELECTED, given.symbol), given.trail, given.source)
    return given
