"""What lists, sets and dicts hold, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.join import alternatives, either
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.term import Item, Method, Part
from ddplint.analysis.domain.values import (
    EVERYONE,
    NONE,
    UNBOUND,
    Const,
    Container,
    Either,
    External,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    varying_in,
)
from ddplint.analysis.memory import aliases
from ddplint.analysis.memory.contents import members, ways
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.trace.events import LoopFrame
from ddplint.source.tree import children
from ddplint.util import figures

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


KINDS = {"builtins.dict": "dict", "builtins.list": "list", "builtins.set": "set"}
"""What makes an empty container, by its name, and the kind that it is of."""

FIELD = "dataclasses.field"
"""The class of what stands for a field of a data class, each object of which gets a container of its own."""


@dataclass(slots=True)
class Columns(Record):
    """Of which columns of a container all elements are known to be alike, by the container."""

    life = Life.FILE
    alike: dict[int, tuple[bool, ...] | None] = field(default_factory=dict)


def of_field(w: Interp, declared: Value | None) -> Container | None:
    """A new container, where that is what objects of a data class begin with."""
    factory = declared.argument(-1, "default_factory") if isinstance(declared, Object) else None
    if not isinstance(declared, Object) or declared.name != FIELD or not isinstance(factory, External):
        return None
    return w.container(KINDS[factory.name], [])


def appended(w: Interp, receiver: Container, content: Sequence[Value] | None, value: Value) -> None:
    """A value was put at the end of a list of that content."""
    note_added(w, receiver, value, bool(content))
    if receiver.id not in w.record(Columns).alike:
        w.record(Columns).alike[receiver.id] = () if content is None else None
        for one in content or ():
            _add(w, receiver, one)
    _add(w, receiver, value)


def mixed(w: Interp, receiver: Container) -> None:
    """Something else was put into a list."""
    w.record(Columns).alike[receiver.id] = ()


def _add(w: Interp, receiver: Container, value: Value) -> None:
    """Each part is alike as long as all that were put there are; the empty tuple says that nothing is known."""
    known = w.record(Columns).alike[receiver.id]
    chosen = bool(w.locals) or w.state.mask != EVERYONE  # some ranks may put another one there
    if known == () or chosen or not isinstance(value, Tuple) or not value.items:
        w.record(Columns).alike[receiver.id] = ()
        return
    alike = tuple(varying_in(part) is None and not by_rank_in(part) for part in value.items)
    if known is not None:
        alike = tuple(a and b for a, b in zip(known, alike, strict=True)) if len(known) == len(alike) else ()
    w.record(Columns).alike[receiver.id] = alike


def element(w: Interp, source: Container, local: Varying) -> Value | None:
    """An element of a list with something rank-local in it, part by part; None where nothing is known of the parts."""
    alike = w.record(Columns).alike.get(source.id)
    if not alike or local.reason is Reason.LENGTH:
        return None
    return Tuple(
        tuple(
            Unknown(fresh("part")) if same else Varying(local.reason, fresh("element"), local.trail, local.source)
            for same in alike
        )
    )


_INNER = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.ClassDef)


def half_known(content: Value) -> bool:
    """Whether some rank's elements are known while nobody knows which of them another has."""
    if isinstance(content, Either):
        return half_known(content.yes) or half_known(content.no)
    known = list(_contents(content)) if isinstance(content, PerRank) else []
    return any(isinstance(one, Unknown) for one in known) and any(isinstance(one, Tuple) and one.items for one in known)


def common(content: Value, loop: cst.For) -> tuple[Value, ...]:
    """The elements that all ranks have first, on every path; none where the loop may be left before its end."""
    first: tuple[Value, ...] | None = None
    for one in _contents(content):
        if not isinstance(one, Tuple):
            return ()
        if first is None:
            first = one.items
            continue
        alike = [a == b for a, b in zip(first, one.items, strict=False)]
        first = first[: alike.index(False) if False in alike else len(alike)]
    return first if first and loop.orelse is None and not _is_left(loop.body) else ()


def behind(content: Value, shared: Sequence[Value]) -> list[Value]:
    """What a list of that content has behind its first elements, of which ``common`` told."""
    return list(content.items[len(shared) :]) if isinstance(content, Tuple) else []


def _contents(content: Value) -> Iterator[Value]:
    for one in alternatives(content):
        if isinstance(one, PerRank):
            for value in one.values:
                yield from _contents(value)
        else:
            yield one


def _is_left(node: cst.CSTNode) -> bool:
    """Whether a loop's body has a ``break`` of its own, or a ``return``."""
    if isinstance(node, (cst.Break, cst.Return)):
        return True
    return any(_is_left(child) if not isinstance(child, _INNER) else _returns(child) for child in children(node))


def _returns(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
        return False
    return isinstance(node, cst.Return) or any(_returns(child) for child in children(node))


_HAND_OUT = frozenset({"children", "modules", "named_children", "named_modules", "named_parameters", "parameters"})
"""Methods of modules that give modules, parameters, or texts beside them."""

_ON = frozenset({"enumerate", "iter", "list", "tqdm", "tuple", "zip"})
"""What passes on the elements of its first argument in the order in which it gets them."""


def made(w: Interp, found: Container, items: Sequence[Value] | None, source: Value | None = None) -> Container:
    """A set or list was made of some elements, or of those of ``source``; itself, for the caller's convenience."""
    texts = any(isinstance(item, Const) and isinstance(item.value, str) for item in items or ())
    if (found.kind == "set" and (texts or _hands_out(source))) or is_iterated(w, source):
        w.marks.add(("unordered", found.id))
    return found


def put_in(w: Interp, whole: Container, item: Value, loops: Sequence[LoopFrame]) -> None:
    """``whole.add(item)`` of a set, in those loops: it has no order then if that is a text or a part of a model."""
    text = isinstance(item, Const) and isinstance(item.value, str)
    part = _is_element(item) and any(_hands_out(loop.source) for loop in loops)
    if whole.kind == "set" and (text or part):
        w.marks.add(("unordered", whole.id))


def _is_element(item: Value) -> bool:
    what = item.symbol if isinstance(item, Unknown) else None
    if isinstance(what, (Item, Part)):
        return any(one.is_fresh("element") for one in what.symbols)
    return what is not None and what.is_fresh("element")


def _hands_out(source: Value | None) -> bool:
    made = source.symbol if isinstance(source, Unknown) else None
    return isinstance(made, Method) and made.name in _HAND_OUT


def is_iterated(w: Interp, source: Value | None) -> bool:
    """Whether a loop goes through such a set, in the order that it has."""
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in _ON:
        source = source.args[0]
    return isinstance(source, Container) and ("unordered", source.id) in w.marks


# -- containers ------------------------------------------------------------------------------------------------------


def items_of(w: Interp, value: Value) -> list[Value] | None:
    """The elements of a container of known content, in order; None where not known.

    Where the path decides between as many elements, each is a choice between two.
    """
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, Container):
        content = w.state.read((value.id, ""))
        if isinstance(content, Tuple):
            if value.kind == "dict":
                return [entry.items[0] if isinstance(entry, Tuple) else entry for entry in content.items]
            return list(content.items)
        return items_of(w, content) if value.kind == "list" and isinstance(content, Either) else None
    if isinstance(value, Const) and isinstance(value.value, (str, tuple)) and len(value.value) <= 16:
        return [Const(part) for part in value.value]
    if isinstance(value, Object):
        if value.name == "builtins.range":
            return _range_items(value)
        held = members.inside(w, value)
        return items_of(w, held) if held is not value else None
    if isinstance(value, Either) and value.local is None:
        yes, no = items_of(w, value.yes), items_of(w, value.no)
        if yes is not None and no is not None and len(yes) == len(no):
            return [either(value.symbol, one, other) for one, other in zip(yes, no, strict=True)]
    return None


def _range_items(value: Object) -> list[Value] | None:
    limits = [arg.value for arg in value.args if isinstance(arg, Const)]
    count = figures.count_of(limits) if len(limits) == len(value.args) else None
    return [Const(i) for i in range(*limits)] if count is not None and count <= 64 else None


def pairs_of(w: Interp, value: Value) -> list[Value] | None:
    """Key-value pairs of a dict of known content."""
    value = members.inside(w, value)
    if isinstance(value, Container) and value.kind == "dict":
        content = w.state.read((value.id, ""))
        if isinstance(content, Tuple):
            return [_pair(w, value, entry) for entry in content.items]
    return None


def pairs_on_paths(w: Interp, value: Value) -> list[Value] | None:
    """Key-value pairs of a dict, also where options of the program decide which of them are there.

    A key that is not there on some path has ``None`` there: what is called with it takes it for left out.
    """
    value = w.state.narrow(value)
    if isinstance(value, Either) and value.local is None:
        return _either_pairs(value.symbol, pairs_on_paths(w, value.yes), pairs_on_paths(w, value.no))
    if isinstance(value, Container) and value.kind == "dict":
        return _of_content(w, value, w.state.narrow(w.state.read((value.id, "")) or UNBOUND))
    return None


def _of_content(w: Interp, base: Container, content: Value) -> list[Value] | None:
    if isinstance(content, Either) and content.local is None:
        yes, no = (_of_content(w, base, one) for one in (content.yes, content.no))
        return _either_pairs(content.symbol, yes, no)
    return [_pair(w, base, entry) for entry in content.items] if isinstance(content, Tuple) else None


def _either_pairs(what: Symbol, yes: list[Value] | None, no: list[Value] | None) -> list[Value] | None:
    if yes is None or no is None:
        return None
    first, second = _by_key(yes), _by_key(no)
    return [Tuple((key, either(what, first.get(key, NONE), second.get(key, NONE)))) for key in {**first, **second}]


def _by_key(pairs: list[Value]) -> dict[Value, Value]:
    return {pair.items[0]: pair.items[1] for pair in pairs if isinstance(pair, Tuple)}


def _pair(w: Interp, base: Container, entry: Value) -> Value:
    """A key with its value; values under constant keys have places of their own, so that they join one by one."""
    if isinstance(entry, Tuple):
        return entry
    return Tuple((entry, stored_item(w, base, entry) or Unknown(symbol("item", base, terms.key_of(entry)))))


def item_key(w: Interp, base: Value, index: Value) -> tuple[int, str] | None:
    """Where an element under a constant key is kept when the rest of its container is not known."""
    if not isinstance(index, Const):
        return None
    if isinstance(base, Container):
        return aliases.place_of(w, base, index.value) or (base.id, f"[{index.value!r}]")
    if isinstance(base, (Unknown, Varying)):
        return (w.owner(base.symbol), f"[{index.value!r}]")
    return None


def stored_item(w: Interp, base: Value, index: Value) -> Value | None:
    """What was stored under a constant key."""
    where = item_key(w, base, index)
    found = w.state.read(where) if where is not None else None
    return None if found is UNBOUND else found


def sample_of(w: Interp, value: Value, node: cst.CSTNode) -> Value | None:
    """What any element of a container of unknown content is, where that is known (a ``defaultdict``'s factory)."""
    if not isinstance(value, Container):
        return None
    found = w.state.read((value.id, "element"))
    factory = w.state.read((value.id, "factory"))
    if found is None and factory is not None:
        found = w.semantics.call_value(w, factory, [], {}, node)
        w.state.write((value.id, "element"), found)
    return _one_of_a_class(w, value) if found is None or found is UNBOUND else found


def note_added(w: Interp, whole: Container, value: Value, beside: bool) -> None:
    """Note what was put into a list, or under a key that nobody knows; ``beside`` something that is not known of."""
    before = w.state.read((whole.id, "added"))
    first = before is None or before is UNBOUND
    same = isinstance(before, Object) and isinstance(value, Object) and before.name == value.name
    plain = isinstance(value, Object) and varying_in(value) is None
    w.state.write((whole.id, "added"), value if plain and (same or (first and not beside)) else NONE)
    if isinstance(value, Instance):
        w.state.write((whole.id, "object"), value)


def kept_under(w: Interp, whole: Value, index: Value) -> Object | None:
    """An object of a library under a key, where all are made alike of which nobody knows how many there are.

    Who goes through them gets another one each time, which is no use for this.
    """
    found = w.state.read((whole.id, "added")) if isinstance(whole, Container) and isinstance(index, Const) else None
    if not isinstance(found, Object) or items_of(w, whole) is not None:
        return None
    return replace(found, id=w.owner(("kept", whole, index)))


def _one_of_a_class(w: Interp, value: Container) -> Instance | None:
    """An object under a key, where all keys that ranks may have hold objects of one class."""
    stored = [stored_item(w, value, key) for key in ways.keys_of(w.state.read((value.id, "")) or NONE)]
    held = [way for one in stored for way in (alternatives(one) if one is not None else (NONE,)) if way is not UNBOUND]
    objects = [one for one in held if isinstance(one, Instance)]
    alike = len(objects) == len(held) and len({one.cls for one in objects}) == 1
    return objects[0] if alike else None
