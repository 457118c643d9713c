"""Containers that ranks fill differently: because of who they are, or as each one's data says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.term import Attr, Call, Item, Method
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Const,
    Container,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    per_rank,
    varying_in,
)
from ddplint.analysis.memory.records import Life, Record
from ddplint.source.tree import children

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ddplint.analysis.domain.values import Trail
    from ddplint.analysis.memory.protocol import Interp


VIEWS = frozenset({"builtins.dict_items", "builtins.dict_values"})
"""What goes through the elements of a dictionary of unknown content."""
_DRAWN_FROM = (Attr, Item)
_BESIDE = frozenset({"builtins.enumerate", "builtins.zip"})


@dataclass(slots=True)
class MadeIn(Record):
    """In how many loops each container was made."""

    life = Life.FILE
    loops: dict[int, int] = field(default_factory=dict)


def keyed(w: Interp, receiver: Container, key: Value) -> bool:
    """Whether ranks put different keys into a dictionary or set, each what it found in its data; it is noted then.

    The keys of a mapping are no data: ``for name, loss in losses.items()``, or ``for name in losses: losses[name]``.
    """
    if not isinstance(key, Varying) or key.reason is not Reason.DATA or key.source is not None:
        return False
    content = w.state.read((receiver.id, ""))
    if w.record(MadeIn).loops.get(receiver.id, len(w.around)) == len(w.around) or not _is_datum(w, key.symbol):
        return False
    if isinstance(content, Tuple) and any(isinstance(one, Const) for one in content.items):
        return False
    w.state.write((receiver.id, ""), Varying(Reason.LENGTH, fresh("keys"), key.trail))
    return True


def _is_datum(w: Interp, what: Symbol) -> bool:
    """Whether something is what a part of a batch holds, by a name or by going through it."""
    if isinstance(what, _DRAWN_FROM):
        return not isinstance(what.last, Const) or isinstance(what.last.value, str)
    if isinstance(what, (Call, Method)):
        return any(_is_datum(w, part) for part in what.symbols)
    loop = w.around[-1] if w.around else None
    if not what.is_fresh("element") or loop is None or not isinstance(loop.node, cst.For):
        return False
    source = loop.source
    beside = source.args if isinstance(source, Object) and source.name in _BESIDE else (source,)
    through = any(isinstance(one, Varying) and isinstance(one.symbol, _DRAWN_FROM) for one in beside)
    return through and not _looks_up(loop.node)


def _looks_up(loop: cst.For) -> bool:
    """Whether the body of a loop looks up what it goes over in the very thing: then these are the keys of a mapping."""
    open_: list[cst.CSTNode] = [loop.body]
    while open_:
        one = open_.pop()
        if isinstance(one, cst.Subscript) and one.value.deep_equals(loop.iter):
            return True
        open_ += children(one)
    return False


def own_length(w: Interp, value: Value) -> Varying | None:
    """The cause why ranks have unequally many elements in a container, or in what goes through a dictionary."""
    held = value.args[0] if isinstance(value, Object) and value.name in VIEWS and value.args else value
    local = varying_in(w.state.read((held.id, "")) or NONE) if isinstance(held, Container) else None
    return local if local is not None and local.reason is Reason.LENGTH else None


def by_rank(w: Interp, value: Value) -> tuple[Value, ...]:
    """The content of a container that ranks filled differently, to be lifted over; empty for all others."""
    content = w.state.read((value.id, "")) if isinstance(value, Container) else None
    return (content,) if content is not None and by_rank_in(content) else ()


_HANDED = "<handed out>"


def hand_out(w: Interp, values: Iterable[Value], depth: int = 2) -> None:
    """Code that nobody sees was given these: it may have filled in what some ranks lack."""
    for value in values:
        if isinstance(value, Container) and by_rank(w, value):
            w.state.write((value.id, _HANDED), TRUE)
        elif depth and isinstance(value, Tuple):
            hand_out(w, value.items, depth - 1)
        elif depth and isinstance(value, Container):
            content = w.state.read((value.id, ""))
            hand_out(w, content.items if isinstance(content, Tuple) else (), depth - 1)
        elif depth and isinstance(value, Instance):
            hand_out(w, [held for _, held in w.state.held(value.id)], depth - 1)


def lacking(w: Interp, base: Container, index: Value) -> tuple[int, Trail | None]:
    """The active ranks that surely have nothing under an index at which others may, and what parted them."""
    content = w.state.read((base.id, ""))
    known = w.state.read((base.id, "factory")) is None and w.state.read((base.id, _HANDED)) in (None, UNBOUND)
    if not isinstance(content, PerRank) or not known:
        return 0, None
    without = sum(1 << rank for rank, part in enumerate(content.values) if _is_without(base, part, index))
    here = without & w.state.mask
    return (0 if here == w.state.mask else here), content.trail


def _is_without(base: Container, content: Value, index: Value) -> bool:
    """Whether something of this content has nothing under an index: it is empty, or all that it holds is known."""
    if not isinstance(content, Tuple):
        return False
    if not content.items:
        return True
    if not isinstance(index, Const):
        return False
    if base.kind == "dict":
        return all(isinstance(one, Const) for one in content.items) and index not in content.items
    return type(index.value) is int and not -len(content.items) <= index.value < len(content.items)


def set_key(w: Interp, receiver: Container, key: Const, value: Value) -> None:
    """``receiver[key] = value`` where ranks have filled a dictionary differently: now each of them has that key."""
    content = w.state.read((receiver.id, ""))
    assert isinstance(content, PerRank)
    w.state.write((receiver.id, f"[{key.value!r}]"), value)
    w.state.write((receiver.id, ""), per_rank(tuple(_with_key(part, key) for part in content.values), content.trail))


def _with_key(content: Value, key: Const) -> Value:
    return Tuple((*content.items, key)) if isinstance(content, Tuple) and key not in content.items else content


def asked(w: Interp, value: Container, node: cst.CSTNode) -> Value:
    """What a test for emptiness asks: the container itself where nothing says that ranks may see different answers."""
    content = w.state.read((value.id, ""))
    local = varying_in(content) if content is not None else None
    if content is None or not (by_rank_in(content) or (local is not None and local.reason is Reason.LENGTH)):
        return value

    def answer(part: Value) -> Value:
        if isinstance(part, Tuple):
            return TRUE if part.items else FALSE
        return part if isinstance(part, Varying) else Unknown(w.truth_of_unknown(value))

    return w.lift(node, answer, content)
