"""What calls give of which nothing more is known: uniform, each rank's own, or a choice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import prod

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives, assumed, either, leaves, pruned, trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh, symbol, there
from ddplint.analysis.domain.term import NAMED, Agreed, Call, Method, Symbol
from ddplint.analysis.domain.values import (
    NONE,
    Const,
    Container,
    Either,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    by_rank_in,
    source_of,
    varying_in,
)
from ddplint.analysis.memory import containers, filling, numbers, wrapping
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data import listings
from ddplint.analysis.openworld.programs import seeds
from ddplint.knowledge import Varying as VaryingRow

OF_BUILTINS = frozenset(name for kind in (str, list, dict, set, tuple, bytes, int, float) for name in dir(kind))


def of_modules(w: Interp) -> frozenset[str]:
    """Methods of modules that do not run them."""
    return w.knowledge.quiet("same", "module_methods")


def is_quiet(w: Interp, method: str) -> bool:
    """Whether a method of this name is so common that a call of it is taken to speak to no rank."""
    return method in OF_BUILTINS or method in w.knowledge.quiet("same", "module_methods", "tensor_methods", "methods")


def is_harmless(w: Interp, root: str) -> bool:
    """Whether a package speaks to no other rank where no row says so."""
    return root in sys.stdlib_module_names or root in w.knowledge.quiet("packages")


def result_of(w: Interp, head: tuple[object, ...], args: Args, node: cst.CSTNode) -> Value:
    """The result of an unmodelled call: derived from its arguments.

    What is made of something rank-local, or of what one of several wrapped models gave, is so way by way.
    """
    for arg in args:
        if isinstance(arg, Wrapped):
            wrapping.may_be_called(w, arg)
    of_path = head[0] == "call" and str(head[1]).startswith("os.path.")
    args = _few_ways(args, of_path)
    split = next((arg for arg in args if isinstance(arg, Either) and _comes_first(arg, of_path)), None)
    split = split or next((arg for arg in args if isinstance(arg, Either) and _is_apart(arg, of_path)), None)
    if split is not None:
        ways = ([assumed(arg, split.symbol, known) for arg in args] for known in (True, False))
        yes, no = (result_of(w, head, way, node) for way in ways)
        return either(split.symbol, yes, no)
    parted = next((arg for arg in args if isinstance(arg, PerRank)), None)
    if parted is not None:
        local = next((v for arg in args if (v := varying_in(arg)) is not None), None)
        reason = local.reason if local else Reason.IDENTITY
        what = symbol(*head, *(terms.key_of(arg) for arg in args))
        return Varying(reason, what, w.trail(node, "", trail_of(parted)))
    plain = [content(w, arg) for arg in args]
    kept = [arg for arg in map(_alternative, plain) if not isinstance(arg, Either) or _always_local(arg)]
    result = terms.derived(head, kept)
    if type(result) is Unknown and head[0] == "call" and head[1] in w.knowledge.quiet("tensors"):
        return Unknown(there(result.symbol), result.source)
    if head[0] == "call":
        result = filling.stacked(w, str(head[1]).rpartition(".")[2], args, result)
    return numbers.result(w, head, plain, result)


def _few_ways(args: Args, of_path: bool) -> Args:
    """The arguments, each with fewer ways where there would be too many answers to a call, one for each combination."""
    apart = [arg for arg in args if isinstance(arg, Either) and _is_apart(arg, of_path)]
    if prod(map(leaves, apart)) <= limits.CALL_PRODUCT:
        return args
    room = 1
    while (room + 1) ** len(apart) <= limits.CALL_PRODUCT:
        room += 1
    return [pruned(arg, room) if isinstance(arg, Either) and _is_apart(arg, of_path) else arg for arg in args]


def _is_apart(value: Either, of_path: bool) -> bool:
    """Whether each way to an argument has an answer of its own."""
    few = value.local is None and value.leaves <= limits.CALL_WAYS
    return _comes_first(value, of_path) or (few and _is_local(value))


def _comes_first(value: Either, of_path: bool) -> bool:
    return value.local is None and ((of_path and _may_differ(value)) or _of_several(value))


def _of_several(value: Either) -> bool:
    """Whether one wrapped model or another gave it."""
    sources = {source_of(way) for way in alternatives(value)} - {None}
    return len(sources) > 1


def _is_local(value: Either) -> bool:
    """Whether one way to it gives something that only each rank knows, and no other way a value that is known."""
    ways = alternatives(value)
    return any(isinstance(way, Varying) for way in ways) and all(isinstance(way, (Unknown, Varying)) for way in ways)


def _always_local(value: Either) -> bool:
    """Whether every way to it gives something that only each rank knows."""
    return value.local is None and all(isinstance(way, Varying) for way in alternatives(value))


def _may_differ(value: Value) -> bool:
    """Whether ranks differ in a value on some path."""
    return by_rank_in(value) or varying_in(value) is not None


def _alternative(value: Value) -> Value:
    """An object that a choice between objects may be; other choices as they are."""
    one = value
    while isinstance(one, Either):
        one = one.yes
    return one if isinstance(one, (Instance, Object)) else value


def content(w: Interp, value: Value) -> Value:
    """For a container, its content (so that a list of rank-local tensors is rank-local).

    One that is written out (``settings.get("splits", [])``) is the same each time.
    """
    if isinstance(value, Container):
        content = w.state.read((value.id, "")) or NONE
        held = Tuple(tuple(_held(w, value)))
        if varying_in(held) is not None or source_of(held) is not None or any(map(_is_agreed, held.items)):
            return held
        if isinstance(content, Either):
            return next((way for way in alternatives(content) if varying_in(way) is not None), value)
        if isinstance(content, Tuple) and all(isinstance(item, Const) for item in content.items):
            return Tuple((Const(value.kind), *content.items))
        if varying_in(content) is not None or source_of(content) is not None:
            return content
    return value


def _is_agreed(value: Value) -> bool:
    """Whether ranks have met for it: a list of such is named by what they met for."""
    return isinstance(value, Unknown) and isinstance(value.symbol.whole, Agreed)


def _held(w: Interp, value: Value, depth: int = limits.NESTED_CONTAINERS) -> Iterator[Value]:
    """What a container holds, and what the containers in it do: of a dict its values."""
    items = containers.pairs_of(w, value) if isinstance(value, Container) else None
    values = [pair.items[1] for pair in items if isinstance(pair, Tuple)] if items is not None else None
    for item in (containers.items_of(w, value) if values is None else values) or ():
        if isinstance(item, Container) and depth:
            yield from _held(w, item, depth - 1)
        else:
            yield item


def typed(w: Interp, name: str, result: Value) -> Value:
    """The result of a call whose class the tables know (``datasets.load_dataset``), where it is equal on all ranks."""
    if not isinstance(result, Unknown) or result.source is not None:
        return result
    kind = w.knowledge.type_of(name)
    return Object(kind, w.owner(("typed", result.symbol))) if kind is not None else result


def method_named(w: Interp, value: Unknown | Varying, name: str) -> str | None:
    """The method that a row is about, of something of a known class that a call gave each rank, whatever it gave."""
    kind = _class_of(w, value.symbol) if isinstance(value, Varying) else None
    return f"{kind}.{name}" if kind is not None and w.knowledge.lookup(f"{kind}.{name}") is not None else None


def class_of(w: Interp, value: Value) -> str | None:
    """The class that the tables know of what was made, or of what a call gave; ``None`` where they know none."""
    if isinstance(value, Object):
        return value.name
    return _class_of(w, value.symbol) if isinstance(value, (Unknown, Varying)) else None


def _class_of(w: Interp, what: Symbol) -> str | None:
    made = what.whole
    if isinstance(made, Call):
        return w.knowledge.type_of(str(made.name))
    if not isinstance(made, Method) or not isinstance(made.receiver, Symbol):
        return None
    kind = _class_of(w, made.receiver)
    return w.knowledge.type_of(f"{kind}.{made.name}") if kind is not None else None


def typed_part(w: Interp, kind: str, base: Value, name: str) -> Object:
    """An attribute whose class the tables know, or a method that returns such an object when it is called."""
    part = Object(kind, w.owner(("typed", base, name)))
    w.marks.add(("part", part.id))
    return part


def expressions_text(node: cst.CSTNode) -> str:
    """How a call's callee is written."""
    function = node.func if isinstance(node, cst.Call) else node
    parts: list[str] = []
    while isinstance(function, cst.Attribute):
        parts.append(function.attr.value)
        function = function.value
    parts.append(function.value if isinstance(function, cst.Name) else "…")
    return ".".join(reversed(parts))


def _is_drawn(value: Varying) -> bool:
    return value.reason is Reason.RANDOM


def without_drawn(args: Args, which: Callable[[Varying], bool] = _is_drawn) -> Args:
    """Arguments without what each rank drew: the name of a temporary file says nothing of what is read from it."""
    return [_undrawn(arg, which) for arg in args]


def _undrawn(value: Value, which: Callable[[Varying], bool]) -> Value:
    if isinstance(value, Either) and value.local is None:
        return either(value.symbol, _undrawn(value.yes, which), _undrawn(value.no, which))
    return Unknown(value.symbol) if isinstance(value, Varying) and which(value) else value


def for_others(args: Args) -> Args:
    """Arguments as code that nobody knows is taken to use them: without what each rank drew, and handed-on objects.

    An object that only some ranks have (the logger of rank 0, elsewhere ``None``) says nothing of what a function
    gives that takes it beside others.
    """
    return [_handed(arg) for arg in without_drawn(args)]


def _handed(value: Value) -> Value:
    if isinstance(value, Either) and value.local is None:
        return either(value.symbol, _handed(value.yes), _handed(value.no))
    if not isinstance(value, PerRank) or NONE not in value.values:
        return value
    there = [part for part in value.values if part != NONE]
    handed = all(isinstance(part, (Instance, Object)) and part == there[0] for part in there)
    return there[0] if there and handed else value


def varying_result(
    w: Interp, row: VaryingRow, name: str, args: Args, node: cst.CSTNode, kwargs: Kwargs | None = None
) -> Value:
    """The result of a call that the value table describes."""
    if row.uniform:
        return Unknown(symbol("call", name, *(terms.key_of(arg) for arg in args)))
    reason = {"clock": Reason.CLOCK, "random": Reason.RANDOM, "data": Reason.DATA}.get(row.varying, Reason.FILESYSTEM)
    if reason is Reason.FILESYSTEM:
        what = symbol("call", name, *(terms.key_of(arg) for arg in args))
    else:
        what = symbol(NAMED, fresh(name)) if row.named else fresh(name)
    own = Varying(reason, what, w.trail(node, name))
    if reason is Reason.FILESYSTEM:
        listings.note(w, own)
    found = seeds.drawn(w, name, kwargs or {}, own) if reason is Reason.RANDOM and not row.named else own
    w.emit(name, Effect.LOCAL_VALUE, node, args=args, result=found)
    return found
