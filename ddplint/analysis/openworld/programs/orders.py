"""What stands in an order that each rank has drawn for itself: a list that was shuffled, a split of a data set.

The note lies beside the value in the store, with what the value held when it was made: what is written over, sorted
or received from another rank afterwards has it no more.
"""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.term import Call, Fresh, Item, Method, Part, Slice, Symbol
from ddplint.analysis.domain.values import (
    NONE,
    Const,
    Container,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import tables

_NOTE = "<order>"
_METHODS = frozenset({"tolist", "numpy", "cpu", "long", "int", "clone", "copy"})


def put(w: Interp, value: Value, own: Varying | None) -> None:
    """From here a list (or a split, by its symbol) stands in an order of each rank's own; ``None``: in one of all."""
    where = _place(w, value)
    if where is not None:
        w.state.write(where, NONE if own is None else Tuple((own, _content(w, value))))


def copied(w: Interp, source: Value, made: Container) -> Container:
    """A list was made of the elements of another one, in their order; itself, for the caller's convenience."""
    own = own_order(w, source)
    if own is not None:
        put(w, made, own)
    return made


def own_order(w: Interp, value: Value | None, depth: int = limits.PARAMETERS_DEPTH) -> Varying | None:
    """What each rank drew, if that decides in which order (or which) elements are in a list or data set."""
    for one in alternatives(value) if value is not None and depth else ():
        found = _noted(w, one) or _drawn(w, one, depth)
        if found is not None:
            return found
    return None


def _place(w: Interp, value: Value) -> Location | None:
    if isinstance(value, (Container, Object)):
        return value.id, _NOTE
    return (w.owner((_NOTE, value.symbol)), _NOTE) if isinstance(value, (Unknown, Varying)) else None


def _content(w: Interp, value: Value) -> Value:
    return (w.state.read((value.id, "")) or NONE) if isinstance(value, Container) else NONE


def _noted(w: Interp, value: Value) -> Varying | None:
    where = _place(w, value)
    for note in alternatives(w.state.read(where) or NONE) if where is not None else ():
        if isinstance(note, Tuple) and isinstance(note.items[0], Varying) and note.items[1] == _content(w, value):
            return note.items[0]
    return None


def _drawn(w: Interp, value: Value, depth: int) -> Varying | None:
    if isinstance(value, Varying) and value.reason is Reason.RANDOM and _is_order(w, value.symbol, depth):
        return value
    return next((own for part in _inner(w, value) if (own := own_order(w, part, depth - 1)) is not None), None)


def _is_order(w: Interp, what: Symbol, depth: int) -> bool:
    """Whether what was drawn is an order (a permutation), whole, cut, or as the index into something."""
    if isinstance(what, Fresh):
        return w.knowledge.is_order(what.what)
    inner = [part for part in _handed_on(what.whole) if isinstance(part, Symbol)]
    return depth > 0 and any(_is_order(w, part, depth - 1) for part in inner)


def _handed_on(what: Symbol) -> tuple[object, ...]:
    """The parts of a term that are in it in the order that they have."""
    if isinstance(what, (Slice, Part)):
        return what.parts
    if isinstance(what, Method) and (what.name in _METHODS or is_cut(what)):
        return (what.receiver, *what.args)
    if isinstance(what, Call) and (what.name in tables.names("in_order") or is_cut(what)):
        return what.args
    return what.indices if isinstance(what, Item) else ()


def is_cut(what: Symbol) -> bool:
    """Whether a value is something cut into parts, which are in the order that it had."""
    if isinstance(what, Method):
        return what.name in tables.names("cutting_methods")
    return isinstance(what, Call) and what.name in tables.names("cutters") | tables.names("other_cutters")


def _inner(w: Interp, value: Value) -> Iterator[Value]:
    """The parts of a value by whose order its own goes."""
    if isinstance(value, Container):
        held = w.state.read((value.id, ""))
        if isinstance(held, Varying) and held.reason is Reason.RANDOM:
            yield held
    elif isinstance(value, Instance):
        yield from (held for _, held in w.state.held(value.id))
    elif isinstance(value, Object):
        yield from value.args
        yield from (given for name, given in value.kwargs if name in ("dataset", "indices"))
    elif isinstance(value, (Unknown, Varying)):
        whole = value.symbol.whole
        picked = isinstance(whole, Item) and isinstance(whole.last, Const)
        parts = (whole.base,) if isinstance(whole, Item) and picked else _handed_on(whole)
        yield from (Unknown(part) for part in parts if isinstance(part, Symbol))
        yield from (part for part in parts if isinstance(part, (Container, Object)))
