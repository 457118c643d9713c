"""What comes out of an iterable, iteration by iteration."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.term import Apart, Call, Method
from ddplint.analysis.domain.values import (
    NONE,
    Container,
    Either,
    Generator,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import containers, numbers
from ddplint.analysis.memory.contents import members, own_keys
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data import iterables, loaders, sharing
from ddplint.analysis.models.data.loaders import Shards
from ddplint.analysis.models.distributed import drawn_members
from ddplint.analysis.semantics.looping import drawing
from ddplint.analysis.trace.events import LoopFrame


def entered(w: Interp, node: cst.CSTNode, place: cst.CSTNode, source: Value | None) -> LoopFrame:
    """The loop that begins here; that it iterates over ``source`` is an event, at ``place``."""
    loop = LoopFrame(w.frame.module.file, node, w.frame.function, source, len(w.frames))
    if source is not None:
        w.emit(
            "iterate",
            Effect.ITERATE,
            place,
            receiver=source,
            details={"loop": loop, "unordered": containers.is_iterated(w, source)},
        )
        sharing.begin(w, source, place)
        drawing.begin(w, source, place)
    return loop


def _view(node: cst.CSTNode) -> str:
    """The method that an iterable is asked from: ``items`` for ``losses.items()``, whatever ``losses`` may be."""
    over = node.iter if isinstance(node, (cst.For, cst.CompFor)) else node
    called = over.func if isinstance(over, cst.Call) and not over.args else None
    return called.attr.value if isinstance(called, cst.Attribute) else ""


def _method_in(made: object, depth: int = 3) -> str:
    """The method that gave what is gone through, also in another order: ``items`` for ``sorted(losses.items())``."""
    made = getattr(made, "symbol", made)
    if isinstance(made, Method):
        return made.name if isinstance(made.name, str) else ""
    if not isinstance(made, Call) or made.name not in _ORDERED or not made.args or not depth:
        return ""
    return _method_in(made.args[0], depth - 1)


_ORDERED = frozenset(f"builtins.{name}" for name in ("list", "reversed", "sorted", "tuple"))


def element_of(w: Interp, source: Value, node: cst.CSTNode) -> tuple[Value, Varying | None]:
    """What an iteration over ``source`` yields, and the rank-local cause if ranks iterate differently often."""
    element, length = _element_of(w, source, node)
    own_keys.note(w, element, length)
    return drawn_members.drawn(w, element, source), length


def _element_of(w: Interp, source: Value, node: cst.CSTNode) -> tuple[Value, Varying | None]:
    source = members.inside(w, source)
    if isinstance(source, Object):
        return loaders.element_of_object(w, source, node)
    if isinstance(source, Varying) and isinstance(source.symbol, Apart):
        return Unknown(fresh("number")), source
    if isinstance(source, Varying):
        keys = _method_in(source.symbol) or _view(node)
        element: Value = Varying(
            Reason.DATA if source.reason is Reason.LENGTH else source.reason,
            fresh("element"),
            source.trail,
            source.source,
        )
        if keys in ("items", "keys"):  # what each rank has of its own has the same names on all of them
            key = Unknown(fresh("key"))
            element = Tuple((key, element)) if keys == "items" else key
        if numbers.is_selected(source):
            return element, numbers.size_of(source)
        return element, source if source.reason is Reason.LENGTH else None
    if isinstance(source, Container):
        content = w.state.read((source.id, "")) or NONE
        local = varying_in(content)
        if local is not None:
            parts = containers.element(w, source, local)
            return (parts, None) if parts is not None else element_of(w, local, node)
        sample = containers.sample_of(w, source, node)
        if sample is not None:
            return (Unknown(fresh("key")) if source.kind == "dict" else sample), None
        items = containers.items_of(w, source)
        if items and all(item == items[0] for item in items):
            return items[0], None
        return Unknown(fresh("element")), None
    if isinstance(source, (Instance, Generator)):
        return iterables.elements(w, source, node) or (Unknown(fresh("element")), None)
    if isinstance(source, Unknown):
        trail = w.record(Shards).trails.get(source)
        return (Unknown(fresh("element")) if trail is None else Varying(Reason.DATA, fresh("batch"), trail)), None
    if isinstance(source, PerRank) and _has_one_structure(w, source):
        return Unknown(fresh("element")), None
    if isinstance(source, PerRank):
        return Varying(Reason.DATA, fresh("element"), source.trail), iterables.uneven(w, source, node)
    if isinstance(source, Either) and source.local is None:
        (yes, local), (no, other) = element_of(w, source.yes, node), element_of(w, source.no, node)
        return either(source.symbol, yes, no), local if other is not None else None
    return unknown("element"), None


def _has_one_structure(w: Interp, column: PerRank) -> bool:
    """Whether ranks ask their wrapped models for their parts: these have the same names everywhere, or none is wrapped.

    One rank may have loaded its model, and the others made theirs of its configuration.
    """
    asked = [one.symbol for one in column.values if isinstance(one, Unknown)]
    return len(asked) == len(column.values) and all(
        isinstance(one, Method)
        and isinstance(one.receiver, Wrapped)
        and one.name in w.knowledge.quiet("module_methods")
        for one in asked
    )
