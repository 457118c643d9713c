"""Containers that ranks fill differently: because of who they are, or as each one's data says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.join import either, trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.term import Attr, Call, Item, Method, Part, Stacked, Text
from ddplint.analysis.domain.values import (
    EVERYONE,
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Const,
    Container,
    Either,
    Instance,
    Object,
    PerRank,
    Trail,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    parts_of,
    source_of,
    varying_in,
)
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.contents import members, own_keys, ways
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.trace.events import LoopFrame
from ddplint.source.tree import children

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


VIEWS = frozenset({"builtins.dict_items", "builtins.dict_values"})
"""What goes through the elements of a dictionary of unknown content."""
_DRAWN_FROM = (Attr, Item)
_BY_NAME = frozenset({"get", "pop"})
_NUMBERS = frozenset({"float", "int"})
_ZIP = "builtins.zip"
_BESIDE = frozenset({"builtins.enumerate", _ZIP})


COUNTS = "counts"
"""The mark of a dictionary that counts what it is updated with."""


@dataclass(slots=True)
class MadeIn(Record):
    """In how many loops each container was made."""

    life = Life.FILE
    loops: dict[int, int] = field(default_factory=dict)


def loops_since(w: Interp, whole: Container) -> Sequence[LoopFrame]:
    """The loops around that began since a container was made."""
    return w.around[w.record(MadeIn).loops.get(whole.id, len(w.around)) :]


_SOME = "<some>"
"""Beside what a dictionary holds that each rank fills by its data: whether all have put something in for certain."""


def keyed(w: Interp, receiver: Container, key: Value) -> bool:
    """Whether ranks put different keys into a dictionary or set, each what it found in its data; it is noted then.

    The keys of a mapping are no data: ``for name, loss in losses.items()``, or ``for name in losses: losses[name]``.
    """
    if w.record(MadeIn).loops.get(receiver.id, len(w.around)) == len(w.around):
        return False
    content = w.state.read((receiver.id, "")) or NONE
    cause = own_keys.cause_of(w, key)
    if cause is not None and (joint := ways.united(content, cause)) is not None:
        w.state.write((receiver.id, ""), joint)
        return True
    datum = isinstance(key, Varying) and key.reason is Reason.DATA and key.source is None and is_datum(w, key.symbol)
    if not (datum or cause) or (isinstance(content, Tuple) and any(isinstance(one, Const) for one in content.items)):
        return False
    w.state.write((receiver.id, ""), Varying(Reason.LENGTH, fresh("keys"), trail_of(cause or key)))
    if w.state.read((receiver.id, _SOME)) is None:
        w.state.write((receiver.id, _SOME), FALSE)
    return True


def is_set_apart(w: Interp, receiver: Container) -> bool:
    """Whether some ranks set a key that others do not, outside of loops that began since the dictionary was made."""
    once = w.record(MadeIn).loops.get(receiver.id, -1) == len(w.around)
    return once and (w.state.mask != EVERYONE or bool(w.locals))


def taken_in(w: Interp, receiver: Container, elements: Value) -> bool:
    """Whether ranks put each its own elements of a batch into a set or counter (``update``); it is noted then."""
    cause = distinct_in(w, elements)
    if cause is not None:
        w.state.write((receiver.id, ""), cause)
    return cause is not None


_OF_KEYS = frozenset({"items", "keys"})
"""Methods that ask a mapping for its names, which are no data."""


def distinct_in(w: Interp, elements: Value) -> Varying | None:
    """Why ranks have unequally many different elements: of a batch, or of what they have unequally many of."""
    cause = own_length(w, elements)
    if cause is None and isinstance(elements, Varying) and elements.reason is Reason.DATA and elements.source is None:
        what = elements.symbol
        listed = isinstance(what, Method) and what.name == "tolist"
        names = isinstance(what, Method) and what.name in _OF_KEYS
        cause = elements if listed or (not names and is_datum(w, what)) else None
    return None if cause is None else Varying(Reason.LENGTH, fresh("keys"), cause.trail)


def is_datum(w: Interp, what: Symbol) -> bool:
    """Whether something is what a part of a batch holds, by a name or by going through it."""
    if isinstance(what, _DRAWN_FROM):
        return not isinstance(what.last, Const) or isinstance(what.last.value, str)
    if _is_read_out(w, what):
        return True
    if isinstance(what, (Call, Method, Text)):
        return any(is_datum(w, part) for part in what.symbols)
    loop = w.around[-1] if w.around else None
    if not what.is_fresh("element") or loop is None or not isinstance(loop.node, cst.For):
        return False
    source = loop.source
    beside = source.args if isinstance(source, Object) and source.name in _BESIDE else (source,)
    listed = (w.state.read((one.id, "")) if isinstance(one, Container) else one for one in beside)
    own = [one.symbol for one in listed if isinstance(one, Varying)]
    zipped = isinstance(source, Object) and source.name == _ZIP
    through = any(_is_drawn(w, one) for one in own) or (zipped and any(map(_is_field, own)))
    return through and not _looks_up(loop.node)


def _is_field(what: Symbol) -> bool:
    """Whether it is a field that a batch is unpacked into, and so a list where something else goes along with it."""
    return isinstance(what, Part) and isinstance(what.base, Symbol) and what.base.is_fresh("batch")


def _is_read_out(w: Interp, what: Symbol) -> bool:
    """Whether it is what a tensor of a batch holds (``labels.tolist()``): numbers, and never the names of a mapping."""
    reads = isinstance(what, Method) and what.name in w.knowledge.quiet("given")
    reads = reads or (isinstance(what, Call) and what.name in _NUMBERS)
    return reads and any(map(_is_of_a_part, what.symbols))


def _is_of_a_part(what: Symbol) -> bool:
    """Whether it was worked out, by methods, of a part of a batch or of one element of it."""
    if isinstance(what, Method):
        return what.name not in _OF_KEYS and any(map(_is_of_a_part, what.symbols))
    return isinstance(what, Part) or what.is_fresh("element")


def _is_drawn(w: Interp, what: Symbol) -> bool:
    """Whether something is taken out of a batch: by a name, by ``get`` or ``pop``, or worked out of such a part."""
    if _is_read_out(w, what):
        return True
    if isinstance(what, Method) and what.name not in _OF_KEYS:
        asked = what.args[-2:] if what.name in _BY_NAME else ()
        named = any(isinstance(one, Const) and isinstance(one.value, str) for one in asked)
        return named or any(_is_drawn(w, part) for part in what.symbols)
    return isinstance(what, _DRAWN_FROM)


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
    return _cause(w.state.read((held.id, "")) or NONE) if isinstance(held, Container) else None


def _cause(content: Value) -> Varying | None:
    """Why ranks have unequally much; what is said of an element is said of nothing else."""
    if isinstance(content, (Either, PerRank)):
        return next((cause for part in parts_of(content) if (cause := _cause(part)) is not None), None)
    return content if isinstance(content, Varying) and content.reason is Reason.LENGTH else None


def of_element(local: Varying | None) -> Varying | None:
    """What is rank-local about one element: how many there are says nothing of it, and it nothing of how many."""
    if local is None or local.reason is not Reason.LENGTH:
        return local
    return Varying(Reason.DATA, fresh("element"), local.trail, local.source)


def stacked(w: Interp, name: str, args: Sequence[Value], given: Value) -> Value:
    """What ``torch.stack(parts)`` gives: as long as each rank has parts, where those are unequally many."""
    cause = own_length(w, args[0]) if args and name in w.knowledge.quiet("stacking") else None
    if cause is None:
        return given
    return Varying(Reason.DATA, symbol("stacked", cause.symbol), cause.trail, source_of(given))


def is_stacked(value: Value) -> bool:
    """Whether a tensor is as long as ranks have parts each."""
    return isinstance(value, Varying) and isinstance(value.symbol.whole, Stacked)


def uneven_among(w: Interp, values: Iterable[Value]) -> Varying | None:
    """The first cause among several."""
    return next((cause for value in values if (cause := own_length(w, value)) is not None), None)


def by_rank(w: Interp, value: Value) -> tuple[Value, ...]:
    """The content of a container that ranks filled differently, to be lifted over; empty for all others."""
    value = members.inside(w, value)
    content = w.state.read((value.id, "")) if isinstance(value, Container) else None
    return (content,) if content is not None and by_rank_in(content) else ()


def apart(w: Interp, seen: Iterable[Value]) -> list[Value]:
    """The same of several values, where nobody's content is known for some ranks and unknown for others."""
    contents = (content for value in seen for content in by_rank(w, value))
    return [content for content in contents if not containers.half_known(content)]


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


def has(w: Interp, base: Container, key: Value) -> Value | None:
    """Whether a key is in a container of which each rank's data decides what it holds; None where nobody knows."""
    content = w.state.read((base.id, ""))
    if base.kind == "list" or content is None or not isinstance(key, Const) or not varying_in(content):
        return None
    return _holds(content, key)


def _holds(content: Value, key: Const) -> Value | None:
    if isinstance(content, Either):
        yes, no = _holds(content.yes, key), _holds(content.no, key)
        return None if yes is None or no is None else either(content.symbol, yes, no)
    known = ways.has_key(content, key) if isinstance(content, Tuple) or ways.ways_of(content) else None
    if known is not None:
        return TRUE if known else FALSE
    if not isinstance(content, Varying) or not ways.ways_of(content):
        return None
    return Varying(Reason.DATA, symbol("in", terms.key_of(key), content.symbol), content.trail)


def asked(w: Interp, value: Container, node: cst.CSTNode) -> Value:
    """What a test for emptiness asks: the container itself where nothing says that ranks may see different answers."""
    content = w.state.read((value.id, ""))
    local = varying_in(content) if content is not None else None
    if content is None or not (by_rank_in(content) or (local is not None and local.reason is Reason.LENGTH)):
        return value
    if local is not None and w.state.read((value.id, _SOME)) == TRUE:
        return TRUE

    def answer(part: Value) -> Value:
        if isinstance(part, Tuple):
            return TRUE if part.items else FALSE
        anything = {bool(way) for way in ways.ways_of(part)}
        if len(anything) == 1:
            return TRUE if anything.pop() else FALSE
        return part if isinstance(part, Varying) else Unknown(w.truth_of_unknown(value))

    return w.lift(node, answer, content)


def has_key(w: Interp, held: Container, *, there: bool) -> None:
    """Note that a key that is written out was put into a dictionary, or may have been taken out of it."""
    if held.kind == "dict" and w.state.read((held.id, _SOME)) is not None:
        w.state.write((held.id, _SOME), TRUE if there else FALSE)
