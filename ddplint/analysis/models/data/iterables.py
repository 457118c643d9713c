"""Iterables that the project makes itself: whether ranks get different numbers of elements out of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain import limits, provenance
from ddplint.analysis.domain.join import alternatives, trail_of
from ddplint.analysis.domain.origins import Guard, GuardKind, Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import (
    APART,
    Attr,
    Call,
    Fresh,
    Item,
    Len,
    Method,
    Operation,
    Parameter,
    Slice,
    Symbol,
)
from ddplint.analysis.domain.values import (
    NONE,
    Const,
    Container,
    Either,
    External,
    Generator,
    Instance,
    Object,
    PerRank,
    Trail,
    Unknown,
    Value,
    Varying,
    source_of,
    varying_in,
)
from ddplint.analysis.interp import asides
from ddplint.analysis.memory import classes, filling
from ddplint.analysis.memory.filling import MadeIn
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.shares import fitting, parts
from ddplint.analysis.memory.shares.turns import SharedOut
from ddplint.analysis.summaries import leaving
from ddplint.analysis.trace.events import LoopFrame

_LOADER_PARTS = ((4, "batch_sampler"), (3, "sampler"), (0, "dataset"))
_GIVEN = (Attr, Call, Item, Parameter)
_FILE = "io.TextIOWrapper"
"""What ``open`` gives."""


@dataclass(slots=True)
class Iterables(Record):
    """Whether iterables of the project differ in length between ranks, and how deep in a look at one the walk is."""

    life = Life.FILE
    known: dict[Instance, Varying | None] = field(default_factory=dict)
    depth: int = 0


def uneven(w: Interp, value: Value, node: cst.CSTNode) -> Varying | None:
    """The rank-local cause if ranks get unequally many elements out of ``value``; ``node`` is where they iterate."""
    value = w.state.narrow(value)
    if isinstance(value, Varying):
        return value if value.reason is Reason.LENGTH else None
    if isinstance(value, PerRank):
        return parts.unequal(w, value)
    if isinstance(value, Either):
        return uneven(w, value.yes, node) or uneven(w, value.no, node)
    if isinstance(value, Container):
        return filling.own_length(w, value)
    if isinstance(value, Instance):
        return _of_instance(w, value, node)
    if isinstance(value, Generator):
        return aside(w, lambda: _of_generator(w, value, node))
    if isinstance(value, Object):
        return _of_object(w, value, node)
    if isinstance(value, Unknown) and isinstance(value.symbol, Call):
        taken = (part for part in value.symbol.args[:1] if isinstance(part, (Instance, Object, Generator)))
        return next((found for part in taken if (found := uneven(w, part, node)) is not None), None)
    return None


def _of_object(w: Interp, value: Object, node: cst.CSTNode) -> Varying | None:
    if is_loader(value):
        for position, name in _LOADER_PARTS:
            part = value.argument(position, name)
            if isinstance(part, (Instance, Varying)) or (part is not None and _has_one_each(w, part)):
                return uneven(w, part, node)
            if isinstance(part, PerRank) and (cause := parts.unequal(w, part)) is not None:
                return cause
            if part is not None and part != NONE:
                return _by_batch_size(value) if name != "batch_sampler" else None
        return None
    if _has_one_each(w, value):
        of = w.knowledge.one_each(value.name).of(value.args, dict(value.kwargs))
        return uneven(w, of, node) if of is not None else None
    if value.name.rpartition(".")[2] in THROUGH:
        return next((found for arg in value.args if (found := uneven(w, arg, node)) is not None), None)
    return lines_of_own(value)


def _has_one_each(w: Interp, value: Value) -> bool:
    """Whether a data set or sampler of a library has one element for each of an argument (``Subset``)."""
    return isinstance(value, Object) and bool(w.knowledge.one_each(value.name))


def lines_of_own(value: Object) -> Varying | None:
    """The cause where what is read is one of a rank's share of files: these may be as many, their lines are not."""
    mode = value.argument(1, "mode")
    reads = mode is None or (isinstance(mode, Const) and str(mode.value).startswith("r"))
    if value.name != _FILE or not value.args or not reads:
        return None
    local = varying_in(value.args[0])
    return Varying(Reason.LENGTH, fresh("lines"), local.trail) if local and local.reason is Reason.DATA else None


def _by_batch_size(loader: Object) -> Varying | None:
    """The cause where ranks cut equal shares into batches of different sizes: they get another number of batches."""
    size, data = loader.argument(1, "batch_size"), loader.argument(0, "dataset")
    if not isinstance(size, PerRank) or data is None or not provenance.is_shared(data):
        return None
    differs = len(set(size.values)) > 1 and len(set(map(_leaves, size.values))) == 1
    return Varying(Reason.LENGTH, fresh("batch size"), size.trail) if differs else None


def _leaves(number: object) -> frozenset[object]:
    """The unknowns that a number is reckoned from, which alone does not make it another one on each rank."""
    what = number.symbol if isinstance(number, Unknown) else number
    if isinstance(what, Const):
        return frozenset()
    if isinstance(what, Symbol) and isinstance(what.whole, Operation):
        return frozenset(leaf for part in what.whole.operands for leaf in _leaves(part))
    return frozenset({what})


def _of_instance(w: Interp, value: Instance, node: cst.CSTNode) -> Varying | None:
    """What ``__iter__`` of an object of the project gives; without one, what ``__len__`` says."""
    known = w.record(Iterables).known
    if value not in known:
        known[value] = None
        method, _ = classes.find_in_class(w, value.cls, "__iter__")
        counted, _ = classes.find_in_class(w, value.cls, "__len__")
        if method is not None and _allowed(w, len(known) < limits.ITERABLES):
            known[value] = aside(w, lambda: uneven(w, w.semantics.call_value(w, method, [value], {}, node), node))
        elif counted is not None and _allowed(w, len(known) < limits.ITERABLES):
            known[value] = aside(w, lambda: _unequal(w.semantics.call_value(w, counted, [value], {}, node)))
    return known[value]


def _unequal(number: Value) -> Varying | None:
    """The cause where a length is another one on each rank because of what each has of a whole."""
    local = varying_in(number)
    return local if local is not None and local.reason is Reason.LENGTH else None


def _of_generator(w: Interp, value: Generator, node: cst.CSTNode) -> Varying | None:
    """Whether the loops around some ``yield``, or a condition on the way to it, differ between ranks."""
    causes: list[Varying] = []
    ways: list[tuple[_Decided, ...]] = []
    base, decided, parted, shared = len(w.around), len(w.locals), len(w.guards), len(w.record(SharedOut).counters)
    endless = False

    def consume(_: Value) -> Value:
        nonlocal endless
        for loop in w.around[base:]:
            endless |= _is_endless(loop)
            found = uneven(w, loop.source, node) if loop.source is not None else None
            if found is not None:
                causes.append(found)
        for guard in w.guards[parted:]:
            taken = guard.kind is GuardKind.FOR or (
                len(w.record(SharedOut).counters) > shared and any(_is_given(w, loop) for loop in w.around[base:])
            )
            if taken and guard.reason is Reason.IDENTITY:
                causes.append(Varying(Reason.LENGTH, fresh("shared out"), _trail(guard)))
        own = [local for local in w.locals[decided:] if local.reason in _OWN]
        ways.append(tuple((local, w.state.path.get(local.symbol) is not False) for local in own))
        return NONE

    w.semantics.run_function(w, value.function, value.args, dict(value.kwargs), node, consume)
    if not causes and isinstance(kept := _elements_on(ways), Varying):
        causes.append(Varying(Reason.LENGTH, fresh("filtered"), kept.trail))
    return None if endless or not causes else causes[0]


_OWN = (Reason.DATA, Reason.LENGTH, Reason.RANDOM)

_Decided = tuple[Varying, bool]
"""What a rank decided by its own data on the way to a ``yield``, and how."""


def _elements_on(ways: Sequence[tuple[_Decided, ...]]) -> int | Varying:
    """How many elements come, given the ways to each; the decision that changes it, where one does.

    ``if long(row): yield cut(row)`` with ``else: yield row`` gives one on both ways.
    """
    count = sum(not way for way in ways)
    for first in dict.fromkeys(way[0][0] for way in ways if way):
        taken = [[way[1:] for way in ways if way and way[0] == (first, yes)] for yes in (True, False)]
        then, other = map(_elements_on, taken)
        if isinstance(then, Varying) or isinstance(other, Varying) or then != other:
            return next((one for one in (then, other) if isinstance(one, Varying)), first)
        count += then
    return count


def counted_apart(ends: Sequence[Value]) -> Varying | None:
    """The cause where one rank counts from (or to) a number that is unknown, and others from one that is known.

    An epoch that only rank 0 has restored: the others begin with the first. Numbers that all ranks reckon with their
    share in mind differ at both ends, or in steps, and may be as many. ``ends``: what ``range`` is given.
    """
    apart = [value for value in ends if isinstance(value, PerRank)]
    if len(ends) > 2 or len(apart) != 1 or not _is_known_to_some(apart[0].values):
        return None
    return Varying(Reason.LENGTH, symbol(APART, fresh("apart")), apart[0].trail)


def _is_known_to_some(column: Sequence[Value]) -> bool:
    leaves = [set(alternatives(value)) for value in column]
    known = [all(type(leaf) is Const for leaf in seen) for seen in leaves]
    open_ = [any(type(leaf) in (Unknown, Varying) for leaf in seen) for seen in leaves]
    return any(known) and any(open_)


def filled(w: Interp, receiver: Container, node: cst.CSTNode) -> Varying | None:
    """The rank-local cause if ranks put unequally many elements into a list: a loop that began since it was made."""
    made_in = w.record(MadeIn).loops.get(receiver.id, len(w.around))
    for loop in w.around[made_in:]:
        cause = uneven(w, loop.source, node) if loop.source is not None else None
        if cause is not None:
            return Varying(Reason.LENGTH, fresh("filled"), cause.trail)
    return None


def counted(w: Interp, test: cst.BaseExpression) -> bool:
    """Behind ``assert len(indices) == self.num_samples`` a list has as many elements on each rank as was asked for.

    Gives whether a list of each rank's own is counted so: nobody would run a program in which one of them fails.
    """
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    against = test.comparisons[0]
    for one, other in ((test.left, against.comparator), (against.comparator, test.left)):
        name = _measured(one)
        if name is None or not isinstance(against.operator, cst.Equal):
            continue
        if not isinstance(other, (cst.Name, cst.Attribute)):
            continue
        held, number = w.semantics.evaluate(w, name), w.semantics.evaluate(w, other)
        if provenance.is_shared(held) or not provenance.is_shared(number):
            continue
        if not isinstance(held, Varying) or held.reason is Reason.LENGTH:
            w.semantics.assign(w, name, Varying(Reason.DATA, fresh("counted"), trail_of(held), source_of(held)))
        return True
    return False


def _measured(asked: cst.BaseExpression) -> cst.Name | None:
    """The name whose length is asked for: ``len(x)``, ``x.size``, ``x.shape[0]``."""
    found: cst.CSTNode | None = None
    if isinstance(asked, cst.Call) and len(asked.args) == 1:
        counts = isinstance(asked.func, cst.Name) and asked.func.value == "len"
        found = asked.args[0].value if counts else None
    elif isinstance(asked, cst.Attribute) and asked.attr.value == "size":
        found = asked.value
    elif isinstance(asked, cst.Subscript) and isinstance(asked.value, cst.Attribute):
        index = asked.slice[0].slice
        first = isinstance(index, cst.Index) and isinstance(index.value, cst.Integer) and index.value.value == "0"
        found = asked.value.value if first and asked.value.attr.value == "shape" else None
    return found if isinstance(found, cst.Name) else None


def _trail(guard: Guard) -> Trail | None:
    trail: Trail | None = None
    for origin in guard.origins:
        trail = Trail(origin, trail)
    return trail


def _is_given(w: Interp, loop: LoopFrame) -> bool:
    """A loop over something that comes from outside, of a length that nobody has made fit."""
    return loop.source is not None and _comes_from_outside(w, loop.source)


def _comes_from_outside(w: Interp, source: Value) -> bool:
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in THROUGH:
        source = source.args[0]
    if isinstance(source, Unknown) and isinstance(source.symbol, Slice):
        whole = source.symbol.base
        rest = Unknown(whole) if isinstance(whole, Symbol) else whole
        return isinstance(rest, Value) and not fitting.evened(w, source) and _comes_from_outside(w, rest)
    if isinstance(source, Container):
        content = w.state.read((source.id, ""))
        return isinstance(content, Unknown) and isinstance(content.symbol, Fresh)
    if isinstance(source, (External, Varying)):  # what a module holds that is not here, the files of a folder
        return isinstance(source, External) or source.reason is Reason.FILESYSTEM
    if isinstance(source, Object) and source.name == "builtins.range" and len(source.args) == 1:
        return _is_length_of_given(w, source.args[0])
    return _is_read(source) or (isinstance(source, Unknown) and isinstance(source.symbol, _GIVEN))


def _is_read(source: object) -> bool:
    """Whether it is the lines of a file, or what a method of the file gives: ``file.read().splitlines()``."""
    made = source.symbol if isinstance(source, Unknown) else source
    while isinstance(made, Symbol) and isinstance(made.whole, Method):
        made = made.whole.receiver
    return isinstance(made, Object) and made.name == _FILE


def _is_length_of_given(w: Interp, number: Value) -> bool:
    """``len(x)`` of something that comes from outside and that nobody has made fit."""
    length = number.symbol if isinstance(number, Unknown) else None
    if not isinstance(length, Len):
        return False
    whole = Unknown(length.of) if isinstance(length.of, Symbol) else length.of
    return (
        isinstance(whole, (Unknown, External, Container))
        and not fitting.evened(w, whole)
        and _comes_from_outside(w, whole)
    )


def _is_endless(loop: LoopFrame) -> bool:
    """``while True`` without a way out: elements come for as long as somebody asks."""
    node = loop.node
    always = isinstance(node, cst.While) and isinstance(node.test, (cst.Name, cst.Integer))
    return always and isinstance(node, cst.While) and not leaving.ends_by_itself(node)


def _allowed(w: Interp, within: bool) -> bool:
    if not within:
        w.limit("too many iterables inside iterables: not all were compared by their lengths")
    return within


def aside(w: Interp, run: Callable[[], Varying | None]) -> Varying | None:
    """Run something whose effects are forgotten: to look at what it would give."""
    if w.tired or not _allowed(w, w.record(Iterables).depth < limits.ASIDE_DEPTH):
        return None
    found: list[Varying | None] = []

    def inside() -> Value | None:
        found.append(run())
        return NONE

    w.record(Iterables).depth += 1
    try:
        asides.forgotten(w, inside)
    finally:
        w.record(Iterables).depth -= 1
    return found[0] if found else None


def elements(w: Interp, value: Value, node: cst.CSTNode) -> tuple[Value, Varying | None] | None:
    """What iterating over an uneven iterable yields; None for all others."""
    cause = uneven(w, value, node)
    if cause is None:
        return None
    return Varying(Reason.DATA, fresh("element"), cause.trail), cause


BARS = ("tqdm", "trange")
"""What shows how far a loop has come."""
THROUGH = (*BARS, "iter", "enumerate", "zip", "map", "reversed", "sorted", "list", "tuple")
"""What passes on the elements of its first argument."""

_LOADERS = ("DataLoader", "DataLoaderShard", "DataLoaderDispatcher", "WebLoader")


def is_loader(value: Value) -> bool:
    """Whether a value is a data loader."""
    return isinstance(value, Object) and value.name.rpartition(".")[2].endswith(_LOADERS)
