"""Whether what ranks see differently is known to differ, or only not known to be the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.compare import Unlike, are_same_but_for
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import names_ranks, symbol
from ddplint.analysis.domain.term import (
    Agreed,
    Applied,
    Attr,
    Call,
    Compound,
    Field,
    Fresh,
    In,
    Is,
    Item,
    Joined,
    Method,
    Named,
    Operation,
    Part,
    Perhaps,
    Sample,
    Symbol,
    Tainted,
    Text,
    Truth,
)
from ddplint.analysis.domain.values import (
    Const,
    Container,
    Either,
    Function,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    varying_in,
)
from ddplint.knowledge import tables

_KEEPS_TRUTH = frozenset(
    "as_posix capitalize casefold ctime format isoformat joinpath ljust lower lstrip removeprefix removesuffix replace "
    "rjust rstrip strftime strip title upper with_name with_suffix".split()
)
_OPERATIONS = (Compound, Operation, Truth)
_NUMBERS = frozenset({"int", "float"})
_OUTPUTS = (Attr, Fresh, Item, Joined, Part)
_SAMPLES = frozenset({"batch", "element"})
STEP_OUTPUT = "step output"
"""What stands for the result of a step that a hook is given."""


def is_empty_alike(what: Symbol) -> bool:
    """Whether a value is a text (or path) with the rank in it: the texts differ, but all are empty or none is."""
    return isinstance(what, Method) and what.name in _KEEPS_TRUTH


def is_never_empty(what: Symbol) -> bool:
    """Whether a value is a text with a known piece: ``f"{folder}/{rank}"``, ``os.path.join(folder, "last.pt")``."""
    printed = isinstance(what, Text)
    if not printed and not _is_text(what):
        return False
    return any(isinstance(part, Const) and _is_piece(part.value, printed) for part in what.parts)


def _is_text(what: Symbol) -> bool:
    """Whether it is put together of texts, or a path of its parts."""
    if isinstance(what, Operation):
        return what.sign == "+"
    return isinstance(what, Call) and what.name in tables.names("joining")


def _is_piece(value: object, printed: bool) -> bool:
    return value != "" if printed else isinstance(value, str) and bool(value)


def is_drawn_name(what: Symbol) -> bool:
    """Whether a value is a name that was drawn, a time, or a text around one: all ranks have one, each another."""
    if isinstance(what, (Attr, Text)) or _is_text(what):
        return any(map(is_drawn_name, what.symbols))
    return isinstance(what, Named) or is_empty_alike(what)


def may_be_name(value: Varying) -> bool:
    """Whether a value is such a name, if only on some paths."""
    drawn = value.reason in (Reason.CLOCK, Reason.RANDOM)
    return drawn and (isinstance(value.symbol, Perhaps) or is_drawn_name(value.symbol))


def is_whole_sample(what: Symbol) -> bool:
    """Whether a rank-local value is what a loader gave: that may be None here and there, which its parts are not.

    A field that is missing is missing by configuration, on all ranks.
    """
    return isinstance(what, Sample)


def is_sample(what: Symbol) -> bool:
    """Whether a rank-local value is a batch or sample as it came from a loader, in a loop or drawn by hand."""
    return is_whole_sample(what) or what.is_fresh(*_SAMPLES)


def is_field_of_sample(what: Symbol) -> bool:
    """Whether a value is a field of a batch as its loader gave it: by its name, or one of several that it is made of.

    The rows of a tensor that is a batch are no fields: they are as large as those of any other batch.
    """
    inner = what.base if isinstance(what, (Attr, Part)) else None
    if isinstance(what, Item):
        named = [one for one in what.indices if isinstance(one, Const) and isinstance(one.value, str)]
        inner = what.base if len(named) == 1 and len(what.indices) == 1 else None
    if isinstance(what, Method) and what.name == "get":
        inner = what.receiver
    return isinstance(inner, Symbol) and (is_sample(inner) or is_field_of_sample(inner))


def is_output(what: Symbol) -> bool:
    """Whether a value is what a model gave, or a part of it: asking for its truth asks whether it is there at all."""
    return isinstance(what, _OUTPUTS)


def is_whole_output(what: Symbol) -> bool:
    """Whether a value that comes out of a model is all that one call gave, walked or not, and no part of it."""
    made = what.whole
    return what.is_fresh("output") or (isinstance(made, Call) and isinstance(made.name, Function))


def is_step_output(what: Symbol) -> bool:
    """Whether a value is what a framework hands a hook of the result of a step, or a field of it.

    Asking for its truth asks whether it is there, which is the same on all ranks.
    """
    while True:
        inner = what.base if isinstance(what, (Attr, Item, Part)) else None
        if isinstance(what, Method) and what.name == "get":
            inner = what.receiver
        if not isinstance(inner, Symbol):
            break
        what = inner
    return what.is_fresh(STEP_OUTPUT)


def is_guess(seen: Sequence[Value]) -> bool:
    """Whether ranks see values of which none is known, and that are no function of the rank's number either."""
    if not all(map(_of_unknowns, seen)):
        return False
    return not _are_one_expression(seen)


def may_be(one: object, other: object, depth: int = 6) -> bool:
    """Whether two unknowns are the same on some path: where one was joined from several, it is so by any of them.

    It is things that are set anew: what was reckoned on each path (a count of rounds against a limit) is another.
    """
    return are_same_but_for(one, other, settled=partial(_on_some_path, depth=depth))


def _on_some_path(one: Symbol, other: Symbol, depth: int) -> bool | None:
    for joined, single in ((one.whole, other), (other.whole, one)):
        ways = joined.ways if depth and isinstance(joined, Joined) else ()
        reckoned = isinstance(single.whole, _OPERATIONS) or single.is_fresh("counted")
        if not reckoned and any(may_be(way, single, depth - 1) for way in ways):
            return True
    return None


def is_own(seen: Sequence[Value]) -> bool:
    """Whether each rank goes by something of its own, and not by its number: it decides for itself."""
    found = [value.symbol for value in seen if isinstance(value, Varying)]
    return len(found) == len(seen) > 1 and not _are_one_expression(found)


def _of_unknowns(value: Value) -> bool:
    """Whether a value is not known, or an object: of the project, or made of numbers not known (``range(a, b)``)."""
    if isinstance(value, Either):
        return _of_unknowns(value.yes) or _of_unknowns(value.no)
    return isinstance(value, (Unknown, Varying, Instance)) or (
        isinstance(value, Object) and any(map(_of_unknowns, value.args))
    )


_NUMBERED = (Unlike.CONSTANT, Unlike.INDEX, Unlike.INSTANCE, Unlike.OBJECT)


def _are_one_expression(seen: Sequence[object]) -> bool:
    """Whether values are one expression over different numbers: ``0 in group`` and ``1 in group``."""
    return all(are_same_but_for(seen[0], other, *_NUMBERED) for other in seen[1:])


def are_tainted(seen: Sequence[Value]) -> bool:
    """Whether what ranks see may differ only because something unknown was passed their numbers.

    ``loader(shard=rank).epoch`` need not differ; ``rank % n`` does.
    """
    if len(seen) < 2 or not all(isinstance(value, Unknown) for value in seen):
        return False
    first = seen[0]
    return all(are_same_but_for(first, other, settled=_by_what_it_was_given) for other in seen[1:])


def _by_what_it_was_given(one: Symbol, other: Symbol) -> bool | None:
    """That two terms differ inside what an unknown object or function was given is no difference."""
    if one.head != other.head or len(one.parts) != len(other.parts):
        return None
    if isinstance(one, In) and isinstance(other, In) and one.where == other.where:
        return _is_kept(one)
    if _is_unknown_thing(one) or (isinstance(one, Call) and not _is_computed(one)):
        return one.begins_like(other, 2) or isinstance(next(iter(one.parts)), (Symbol, Object))
    return None


def _is_computed(what: Call) -> bool:
    """Whether it is known to give another result for each argument: a computation."""
    return str(what.name).partition(".")[0] in tables.names("computing")


def _is_unknown_thing(what: Symbol) -> bool:
    """Whether it is something of an object that nobody knows, or what such a function gives."""
    return isinstance(what, (Applied, Attr, Item, Part, Tainted))


def is_passed_on(seen: Sequence[tuple[int, Value]], is_read: Callable[[str], bool]) -> bool:
    """Whether all ranks but one go by what was sent to them, and that one by its own: what it has sent, no doubt.

    It was broadcast, or the one wrote a file that the others read.

    Parameters: ``seen``, the ranks (a mask) that see each value; ``is_read``, whether a call of this name reads a file.
    """
    alone = [value for ranks, value in seen if not ranks & (ranks - 1)]
    others = [value for ranks, value in seen if ranks & (ranks - 1)]
    if len(alone) != 1 or len(others) != 1:
        return False
    own, got = alone[0], others[0]
    if not isinstance(own, (Unknown, Varying)) or not isinstance(got, Unknown):
        return False
    return _was_sent(got, is_read) and not _was_sent(own, is_read)


def _was_sent(what: object, is_read: Callable[[str], bool], depth: int = 8) -> bool:
    """Whether a value is worked out from what a broadcast has brought, or what a file held."""
    made = getattr(what, "symbol", what)
    made = made.whole if isinstance(made, Symbol) else None
    if isinstance(made, Agreed):
        return "broadcast" in str(made.kind)
    if isinstance(made, Field) and isinstance(made.holder, int):
        return True  # of a file that was read
    if isinstance(made, Call) and isinstance(made.name, str) and is_read(made.name):
        return True
    inner = what.items if isinstance(what, Tuple) else made.parts if made is not None else ()
    return depth > 0 and any(_was_sent(part, is_read, depth - 1) for part in inner)


def _is_kept(asked: In) -> bool:
    """Whether a condition asks if something is in a dictionary of the program: each finds its own there, or nobody.

    What is empty as far as the walk knows is one that is filled in time.
    """
    where = asked.where
    return where == Tuple(()) or (isinstance(where, Container) and where.kind == "dict")


def is_asked_of(what: Symbol, depth: int = limits.ASKED_DEPTH) -> bool:
    """Whether a condition only asks things about unknown objects, none of them by the name of a rank.

    ``loader(shard=rank).epoch < last`` need not differ, though the loader does; nor need ``loader(rank) is None``.
    Also of values that are too large to be looked into otherwise: a call with many arguments is one.
    """
    if what.tainted:
        return True
    if depth == 0:
        return False
    made = what.whole
    if isinstance(made, Is):
        return isinstance(made.what, Symbol) and (_is_told(made.what) or is_asked_of(made.what, depth - 1))
    if isinstance(made, In):
        return _is_kept(made)
    if isinstance(made, _OPERATIONS):
        parts = [part for part in made.symbols if not part.is_agreed(depth - 1)]
        return bool(parts) and all(is_asked_of(part, depth - 1) for part in parts)
    if isinstance(made, Call) and made.name in _NUMBERS:
        given = made.args[0]
        return isinstance(given, Symbol) and not isinstance(given.whole, Call) and is_asked_of(given, depth - 1)
    if isinstance(made, Method):
        plain = all(isinstance(part, Const) for part in made.args[1:])
        return plain and isinstance(made.receiver, Symbol) and not names_ranks(str(made.name))
    return _is_unknown_thing(made) and not any(isinstance(part, str) and names_ranks(part) for part in made.parts)


def _is_told(made: Symbol) -> bool:
    """Whether a value is what a function gave, or a method that is not asked for ranks by its name."""
    whole = made.whole
    return isinstance(whole, Call) or (isinstance(whole, Method) and not names_ranks(str(whole.name)))


def are_options_apart(one: Symbol, other: Symbol) -> bool:
    """Whether two conditions ask for other options, each, of what one call gave: of a command line, say.

    Options that were parsed stand by themselves; those of an object that a function was given may go together.
    """
    first, second = frozenset(_attributes(one)), frozenset(_attributes(other))
    parsed = {base for base, _ in first | second}
    if len(parsed) != 1 or not first or not second or first & second:
        return False
    base = parsed.pop()
    return isinstance(base, Call)


def _attributes(what: Symbol) -> Iterator[tuple[object, object]]:
    if isinstance(what, Attr):
        yield what.base, what.name
        return
    for part in what.symbols:
        yield from _attributes(part)


def counters_in(seen: Sequence[Value]) -> frozenset[Symbol]:
    """The unknown numbers that ranks compare with a number of their own: what one takes another leaves."""
    if len(seen) < 2 or not all(isinstance(value, Unknown) for value in seen):
        return frozenset()
    first = seen[0]
    if any(other == first for other in seen[1:]) or not _are_one_expression(seen):
        return frozenset()
    assert isinstance(first, Unknown)
    return frozenset(first.symbol.counters)


def is_shared(value: Value) -> bool:
    """Whether nothing says that ranks have a value of their own."""
    return varying_in(value) is None and not by_rank_in(value)


def settings_of(yes: Value, no: Value) -> Symbol | None:
    """What names the alternatives and what decides between them, where neither asks for who the rank is."""
    parts = list(dict.fromkeys([*_named(yes), *_named(no)]))
    named = all(isinstance(part, (Const, Symbol)) for part in parts)
    if not named or any(isinstance(part, Symbol) and (part.rank_dependent or part.tainted) for part in parts):
        return None
    return symbol("settings", *parts)


def _named(value: Value) -> Iterator[Value | Symbol]:
    if isinstance(value, Either) and value.local is None:
        yield value.symbol
        yield from _named(value.yes)
        yield from _named(value.no)
    else:
        yield value.symbol if type(value) is Unknown else value
