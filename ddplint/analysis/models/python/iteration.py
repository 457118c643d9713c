"""Python's functions over iterables: how many elements come out, and which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives, either, local_join, pruned, trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.term import DISTINCT
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
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
    varying_in,
)
from ddplint.analysis.interp import generators
from ddplint.analysis.memory import containers, filling, numbers
from ddplint.analysis.memory.contents import joined
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.shares import as_long, fitting, tried_sizes
from ddplint.analysis.models import results
from ddplint.analysis.models.data import iterables, listings, own_lengths
from ddplint.analysis.models.distributed import ranks
from ddplint.analysis.openworld.programs import orders
from ddplint.util import figures

Handler = Callable[["Interp", Args, Kwargs, cst.CSTNode], "Value | None"]


@dataclass(slots=True)
class Copies(Record):
    """What a copy of something unknown was made of."""

    life = Life.FILE
    of: dict[Symbol, Value] = field(default_factory=dict)


def length(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) != 1:
        return None
    if type(args[0]) is PerRank and isinstance(node, cst.Call) and node.args:
        w.semantics.used(w, args[0], node.args[0].value)
    own_lengths.ask(w, args[0], node)

    def apply(value: Value) -> Value:
        items = containers.items_of(w, value)
        if items is not None:
            numbers.note_measured(w, value)
            return _counted(w, value, items, node)
        if isinstance(value, Const) and isinstance(value.value, (str, bytes)):
            return Const(len(value.value))
        if isinstance(value, (Instance, Object)) and (own := own_lengths.of(w, value, node)) is not None:
            return own
        if isinstance(value, Varying):
            if value.reason is Reason.LENGTH or numbers.is_selected(value):
                return numbers.size_of(value)
            return listings.counted(w, value, numbers.note_size(w, value, Unknown(symbol("len", value.symbol))))
        if isinstance(value, Container):
            content = w.state.read((value.id, "")) or NONE
            local = varying_in(content)
            if local is not None and local.reason is Reason.LENGTH:
                return Varying(Reason.LENGTH, symbol("len", local.symbol), local.trail)
            return listings.counted(w, local, Unknown(symbol("len", w.truth_of_unknown(value))))
        return Unknown(symbol("len", terms.key_of(value)))

    return w.lift(node, lambda value, *_: apply(value), args[0], *filling.by_rank(w, args[0]))


_UNSURE = (Either, PerRank, Unknown, Varying)


def _counted(w: Interp, whole: Value, items: list[Value], node: cst.CSTNode) -> Value:
    """How many elements: in a set, and among the keys of a dict, what is not known may be equal."""
    keyed = isinstance(whole, Container) and whole.kind in ("dict", "set")
    if not keyed or not any(isinstance(item, _UNSURE) for item in items):
        return Const(len(set(items)) if keyed else len(items))
    return Const(1) if len(items) == 1 else results.result_of(w, (DISTINCT,), items, node)


def range_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    apart = iterables.counted_apart(args)
    if apart is not None:
        return apart
    choice = next((arg for arg in args if isinstance(arg, Either) and arg.local is None and by_rank_in(arg)), None)
    if choice is not None:
        ways = ([way if arg is choice else arg for arg in args] for way in (choice.yes, choice.no))
        found = [range_of(w, way, kwargs, node) for way in ways]
        return either(choice.symbol, found[0] or NONE, found[1] or NONE)
    by_rank = next((arg for arg in args if isinstance(arg, PerRank)), None)
    known = all(isinstance(arg, (Const, PerRank)) for arg in args)
    tried = tried_sizes.unequal_range(args) if by_rank is not None else None
    if by_rank is not None and not tried and tried_sizes.too_long_and_unequal(args, limits.EXACT_ITERATIONS):
        tried = True
    if by_rank is not None and (tried or not known):
        unequal = not _divides(w, args[1], args[2]) if len(args) == 3 and tried is not False else bool(tried)
        reason = Reason.LENGTH if unequal else Reason.DATA
        return Varying(reason, fresh("range"), w.trail(node, "", trail_of(by_rank)))
    seen = [w.state.narrow(arg) for arg in args]
    unlike = any(isinstance(end, PerRank) or (isinstance(end, Either) and end.local is not None) for end in seen)
    if not unlike and any(map(_is_open, seen)):
        return w.external_object("builtins.range", seen, {}, node)
    made = w.lift(node, lambda *values: w.external_object("builtins.range", list(values), {}, node), *seen)
    if not any(type(way) is Unknown for way in alternatives(made)):
        return made
    return w.external_object("builtins.range", [pruned(end, 1) for end in seen], {}, node)  # too many ways: one range


def _is_open(end: Value) -> bool:
    """Whether no alternative of an end is a number that is known: which of them it is changes nothing in a loop."""
    return not any(isinstance(one, Const) for one in alternatives(end))


def _divides(w: Interp, stop: Value, step: Value) -> bool:
    """Whether ranks that go in steps up to a number have as many each, for it divides by their number."""
    multiple = isinstance(stop, Unknown) and fitting.holds_multiple(stop.symbol, step)
    return multiple or fitting.is_checked(w, stop, step)


def collection(kind: str, *, put_in_order: bool = False) -> Handler:
    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        named = [Tuple((Const(key), value)) for key, value in kwargs.items()] if kind == "dict" else []
        if not args:
            return w.container(kind, named)

        def apply(value: Value) -> Value:
            items = _pairs(w, value) if kind == "dict" else containers.items_of(w, value)
            if items is not None:
                items = [*items, *named]
                listed = containers.made(w, w.container(kind, items), items, None if put_in_order else value)
                return listed if put_in_order else orders.copied(w, value, listed)
            distinct = filling.distinct_in(w, value) if kind == "set" else None
            local = distinct or varying_in(value) or filling.own_length(w, value)
            if isinstance(value, Container) and local is None:
                local = varying_in(w.state.read((value.id, "")) or NONE)
            made = w.container(kind, None, local)
            ranks.listed(w, value, made)
            as_long.note(w, value, made)
            joined.note(w, made, [value])
            listed = containers.made(w, made, None, None if put_in_order else value)
            return listed if put_in_order else orders.copied(w, value, listed)

        return w.lift(node, apply, args[0])

    return run


def _pairs(w: Interp, value: Value) -> list[Value] | None:
    """The pairs of a dictionary, or of a list of them."""
    if isinstance(value, Container) and value.kind == "dict":
        return containers.pairs_of(w, value)
    items = containers.items_of(w, value)
    paired = items is not None and all(isinstance(one, Tuple) and len(one.items) == 2 for one in items)
    return items if paired else containers.pairs_of(w, value)


def tuple_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return Tuple(())
    items = containers.items_of(w, args[0])
    return Tuple(tuple(items)) if items is not None else args[0]


def through(handler: Handler) -> Handler:
    """A function that goes through all of what it is given: a generator of the project runs to its end."""

    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        if args:
            generators.exhaust(w, args[0], node)
        return handler(w, args, kwargs, node)

    return run


def copied(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """A copy: of an unknown object one that has what the object has, until something else is set on it."""
    given = w.state.narrow(args[0]) if args else None
    if isinstance(given, (Instance, Object, Wrapped)):
        w.emit("copy.deepcopy", Effect.COPIED, node, args=[given])
    if type(given) is not Unknown or given.source is not None:
        return given
    made = Unknown(symbol("copy", fresh("copy"), given.symbol))
    w.record(Copies).of[made.symbol] = given
    return made


def iter_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return None
    w.emit("iterate", Effect.ITERATE, node, receiver=args[0], details={"loop": None})
    return generators.begun(w, args[0], node)


def enumerate_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    source, first = argument(args, kwargs, "iterable", 0), argument(args, kwargs, "start", 1)
    if source is None:
        return None

    def apply(value: Value) -> Value:
        items = containers.items_of(w, value)
        start = 0 if first is None else first.value if isinstance(first, Const) else None
        if items is not None and isinstance(start, int):
            return Tuple(tuple(Tuple((Const(i + start), item)) for i, item in enumerate(items)))
        return w.external_object("builtins.enumerate", [value], {}, node)

    return w.lift(node, apply, source)


def _first_of(w: Interp, value: Value, count: int, node: cst.CSTNode) -> list[Value]:
    return [w.semantics.item(w, node, value, Const(index)) for index in range(count)]


def zip_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if any(_is_known_apart(w, arg) for arg in args):
        return w.lift(node, lambda *parts: _zipped(w, parts, node), *args)
    return _zipped(w, args, node)


def _is_known_apart(w: Interp, value: Value) -> bool:
    """Whether ranks go over different things, and over what is known."""
    return isinstance(value, PerRank) and all(containers.items_of(w, one) is not None for one in value.values)


def _zipped(w: Interp, args: Sequence[Value], node: cst.CSTNode) -> Value:
    lists = [containers.items_of(w, arg) for arg in args]
    fewest = min((len(items) for items in lists if items is not None), default=None)
    if fewest is not None:
        lists = [_numbers(arg, fewest) if items is None else items for arg, items in zip(args, lists, strict=True)]
    known = [items for items in lists if items is not None]
    if len(known) == len(lists) and known:
        return Tuple(tuple(Tuple(row) for row in zip(*known, strict=False)))
    if len({len(items) for items in known}) == 1 and len(known[0]) <= limits.FEW_ELEMENTS:
        missing = (arg for arg, items in zip(args, lists, strict=True) if items is None)
        if all(map(_may_be_as_long, map(w.state.narrow, missing))):  # as long as what it goes along with
            columns = [items or _first_of(w, arg, len(known[0]), node) for arg, items in zip(args, lists, strict=True)]
            return Tuple(tuple(Tuple(row) for row in zip(*columns, strict=True)))
    return w.external_object("builtins.zip", args, {}, node)


def _may_be_as_long(value: Value) -> bool:
    return isinstance(value, Unknown) or (isinstance(value, Varying) and value.reason is not Reason.LENGTH)


def _numbers(value: Value, count: int) -> list[Value] | None:
    """The first numbers of a range of known ends that has as many."""
    ends = [arg.value for arg in value.args if isinstance(arg, Const)] if isinstance(value, Object) else []
    if not isinstance(value, Object) or value.name != "builtins.range" or len(ends) < len(value.args):
        return None
    has = figures.count_of(ends)
    return [Const(number) for number in range(*ends)[:count]] if has is not None and has >= count else None


def any_or_all(decisive: bool) -> Handler:
    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        items = containers.items_of(w, args[0]) if args else None
        if items is None:
            asked = numbers.whether_any_listed(w, args[0]) if args else None
            return results.result_of(w, ("call", "any" if decisive else "all"), [asked] if asked else args, node)
        result: Value = FALSE if decisive else TRUE
        for item in items:
            result = w.lift(node, lambda a, b: _short(w, decisive, a, b), result, item)
        return result

    return run


def _short(w: Interp, decisive: bool, a: Value, b: Value) -> Value:
    first = w.truth(a)
    if isinstance(first, bool):
        return a if first is decisive else b
    if w.truth(b) is decisive:
        return TRUE if decisive else FALSE
    return terms.derived(("or" if decisive else "and",), (a, b)) if isinstance(b, (Unknown, Varying)) else a


def next_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:

    if not args:
        return None
    items = containers.items_of(w, args[0])
    if items:
        return items[0]
    if isinstance(args[0], Object):
        w.emit("next", Effect.FETCH, node, receiver=args[0])
    step = generators.step_of(w, args[0])
    if step is not None and len(args) == 1:
        return w.semantics.call_value(w, step, [args[0]], {}, node)
    given = generators.first(w, args[0], node)
    if given is not None:
        return given
    element, length = w.semantics.element_of(w, args[0], node)
    if length is None:
        return element
    if len(args) > 1:
        return local_join(length, element, args[1])
    return w.semantics.at_the_end(w, length, node, lambda: element)


def sum_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    items = containers.items_of(w, args[0]) if args else None
    if items is not None and all(isinstance(item, Const) for item in items):
        return terms.safely("sum", lambda: sum(item.value for item in items if isinstance(item, Const)))
    total = results.result_of(w, ("call", "sum"), args, node)
    asked = numbers.whether_any_listed(w, args[0]) if args else None
    if type(total) is Unknown and asked is not None:
        w.record(numbers.Measured).of[total.symbol] = asked
    return total


def map_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    items = containers.items_of(w, args[1]) if len(args) == 2 else None
    if items is None or len(items) > 8:
        return None
    return w.container("list", [w.semantics.call_value(w, args[0], [item], {}, node) for item in items])


def filter_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``filter(test, elements)`` of elements that are known: those that pass, or as many as each rank's data says."""
    items = containers.items_of(w, args[1]) if len(args) == 2 else None
    if items is None or len(items) > limits.FEW_ELEMENTS:
        local = filling.own_length(w, args[1]) if len(args) == 2 else None
        return w.container("list", None, local) if local is not None else None
    passed: list[Value] = []
    cause, known = None, True
    for item in items:
        answer = item if args[0] == NONE else w.semantics.call_value(w, args[0], [item], {}, node)
        passes = w.truth(answer)
        if passes is True:
            passed.append(item)
        elif passes is not False:
            known, cause = False, cause or varying_in(answer)
    local = Varying(Reason.LENGTH, fresh("filtered"), cause.trail) if cause is not None else None
    return w.container("list", passed if known else None, local)


def keys_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``dict.fromkeys(keys, value)``."""
    keys = containers.items_of(w, args[0]) if args else None
    if keys is not None:
        return w.container("dict", [Tuple((key, args[1] if len(args) > 1 else NONE)) for key in dict.fromkeys(keys)])
    cause = filling.distinct_in(w, args[0]) if args else None
    return w.container("dict", None, cause) if cause is not None else None


def chained(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``itertools.chain(first, second)`` of elements that are known, or of which ranks have unequally many."""
    several = [containers.items_of(w, arg) for arg in args]
    known = [item for items in several if items is not None for item in items]
    if args and None not in several and len(known) <= limits.KNOWN_ITEMS:
        return w.container("list", known)
    cause = filling.uneven_among(w, args)
    return w.container("list", None, cause) if cause is not None else None


def islice_of(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    by_rank = next((arg for arg in args[1:] if isinstance(arg, PerRank)), None)
    if by_rank is not None and len(args) == 4:
        return Varying(Reason.LENGTH, fresh("slice"), w.trail(node, "", trail_of(by_rank)))
    return w.external_object("itertools.islice", args, {}, node)
