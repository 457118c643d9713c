"""What a function of the project makes a batch of, where the rows say which parts of it there are."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.term import Item
from ddplint.analysis.domain.values import Bound, Container, Function, Object, Varying
from ddplint.analysis.memory import filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record


@dataclass(slots=True)
class Rows(Record):
    """What stands for the rows that a batch is made of."""

    life = Life.FILE
    symbols: set[Symbol] = field(default_factory=set)


def batch(w: Interp, loader: Object, own: Varying, node: cst.CSTNode) -> Container | None:
    """The batch that a loader's ``collate_fn`` makes of this rank's rows, if ranks have different parts in it.

    Parameters: ``own``, what a batch of the loader is known to be. None where all ranks have the same parts, or where
    nobody knows: such a batch is ``own``.
    """
    collate = loader.argument(6, "collate_fn")
    if not isinstance(collate, (Bound, Function)) or w.tired:
        return None
    rows = Varying(Reason.DATA, fresh("batch"), own.trail)
    w.record(Rows).symbols.add(rows.symbol)
    with w.saved(quiet=w.quiet + 1):
        found = []
        w.trace_of(lambda: found.append(w.semantics.call_value(w, collate, [rows], {}, node)))
    made = found[0] if found else None
    return made if isinstance(made, Container) and filling.own_length(w, made) is not None else None


def is_one_row(w: Interp, value: Varying) -> bool:
    """Whether a value is one row of a batch, which is asked on behalf of them all (``rows[0]``)."""
    return isinstance(value.symbol, Item) and value.symbol.base in w.record(Rows).symbols


def row_by_row(w: Interp) -> bool:
    """Whether a loop goes through the rows of a batch: what one of them has, another may lack."""
    rows, sources = w.record(Rows).symbols, (loop.source for loop in w.around)
    return any(isinstance(one, Varying) and one.symbol in rows for one in sources)
