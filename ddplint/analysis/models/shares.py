"""What a library gives each rank as its share of something: ranks may get unequally many elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.arguments import argument
from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.values import FALSE, NONE, WORLD_SIZE, Const, Object, PerRank, Unknown, Value, Varying
from ddplint.analysis.models import iterables

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.knowledge import Api

_PADDING = "apply_padding"


def of_call(w: Walker, row: Api, rank: Value | None, base: Value | None, node: cst.CSTNode) -> Varying | None:
    """The share that a call returns (``split_dataset_by_node``).

    None where the rank is written into the program, and of something that was cut before, perhaps so that it divides.
    """
    if "uneven_share" not in row.also or isinstance(rank, Const) or base is None or iterables.evened(w, base):
        return None
    return _share(w, row, node)


def of_parts(w: Walker, base: Value, index: Value, node: cst.CSTNode) -> Varying | None:
    """``numpy.array_split(items, world_size)[rank]``: a share, where nothing says that it divides."""
    if not isinstance(index, PerRank) or not isinstance(base, (Unknown, Varying)):
        return None
    head, *rest = base.symbol.made_of
    if head != "call" or len(rest) < 3 or rest[0] not in w.knowledge.quiet("cutters") or Const(WORLD_SIZE) not in rest:
        return None
    cut = rest[1]
    if isinstance(cut, Symbol) and iterables.evened(w, Unknown(cut)):
        return None
    name = str(rest[0]).rpartition(".")[2]
    return Varying(Reason.LENGTH, fresh("share"), w.trail(node, f"{name}: this rank's share", index.trail))


def manage(
    w: Walker, row: Api, manager: Object, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> None:
    """``with accelerator.split_between_processes(items) as share``: shares are alike where they are filled up."""
    given: Mapping[str, Value] = dict(manager.kwargs)
    padded = given.get(_PADDING) or (manager.args[1] if len(manager.args) > 1 else FALSE)
    items = argument(list(manager.args), dict(manager.kwargs), "inputs", 0)
    uneven = padded in (FALSE, NONE) and not (items is not None and _divides(w, items))
    bind(_share(w, row, node) if uneven else Unknown(fresh("share")))
    body()


def _divides(w: Walker, items: Value) -> bool:
    """Whether what is shared was made to fit: a slice whose length is reckoned from the number of ranks."""
    if isinstance(items, Unknown) and items.symbol.made_of[0] == "slice":
        return any(_counts_ranks(bound) for bound in items.symbol.made_of[2:])
    return iterables.evened(w, items)


def _counts_ranks(what: object, depth: int = 8) -> bool:
    if not isinstance(what, Symbol) or not depth:
        return False
    parts = what.made_of
    return (parts[0] == "op" and Const(WORLD_SIZE) in parts) or any(_counts_ranks(part, depth - 1) for part in parts)


def _share(w: Walker, row: Api, node: cst.CSTNode) -> Varying:
    return Varying(Reason.LENGTH, fresh("share"), w.trail(node, f"{row.name.rpartition('.')[2]}: this rank's share"))
