"""What a location may hold: a value per rank, a choice between values, and how these are put together.

A choice that grows past a few alternatives becomes an unknown that keeps what matters of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.provenance import is_asked_of, is_guess, may_be, may_be_name, settings_of
from ddplint.analysis.domain.symbols import GIVEN, fresh, key_of, numbered, symbol
from ddplint.analysis.domain.term import PERHAPS, TAINTED, Call, Is, Joined, Operation, Symbol
from ddplint.analysis.domain.values import (
    NONE,
    UNBOUND,
    WORLD_SIZE,
    Bound,
    Const,
    Container,
    Either,
    External,
    Function,
    Instance,
    OnRanks,
    Partial,
    PerRank,
    Trail,
    Tuple,
    Unbound,
    Unknown,
    Value,
    Varying,
    Wrapped,
    source_of,
    varying_in,
)


def rank_join(values: Sequence[Value], trail: Trail | None) -> Value:
    """One value per rank from values that may themselves differ by rank."""
    flat = tuple(project(value, rank) for rank, value in enumerate(values))
    known = [value for value in flat if value is not UNBOUND]
    if not known:
        return UNBOUND
    if all(value == known[0] for value in known):
        return known[0]
    if trail is None:
        trail = next((t for value in values if (t := trail_of(value)) is not None), None)
    return _of_own_failures(flat) or _of_own_files(flat, trail) or PerRank(flat, trail)


def _of_own_failures(values: Sequence[Value]) -> Value | None:
    """What each rank has or lacks as the same handler on it says: who the rank is did not decide."""
    first = values[0]
    if not isinstance(first, Varying) or first.reason is not Reason.EXCEPTION or first.trail is None:
        return None
    return first if all(isinstance(one, Varying) and one.trail is first.trail for one in values) else None


def _of_own_files(values: Sequence[Value], trail: Trail | None) -> Varying | None:
    """What ranks see who ask the same of a file, each of its own (``exists(f"part.{rank}")``): mostly all alike."""
    first = values[0]
    if not isinstance(first, Varying) or first.reason is not Reason.FILESYSTEM:
        return None
    if not isinstance(first.symbol, Call):
        return None
    for one in values:
        if not isinstance(one, Varying) or one.reason is not first.reason:
            return None
        if not one.symbol.begins_like(first.symbol, 2):
            return None
    return Varying(Reason.FILESYSTEM, symbol("own", first.symbol), trail)


def project(value: Value, rank: int) -> Value:
    """The value as one rank sees it."""
    if isinstance(value, PerRank):
        return value.values[rank]
    if isinstance(value, Either):
        yes, no = project(value.yes, rank), project(value.no, rank)
        if value.local is not None:
            return value if yes is value.yes and no is value.no else replace(value, yes=yes, no=no)
        return either(value.symbol, yes, no)
    return value


def first_choice(value: PerRank) -> Either | None:
    """The same value as a choice that all ranks share, of what each then sees; None where no rank's hangs on one."""
    what = next((one.symbol for one in value.values if isinstance(one, Either) and one.local is None), None)
    if what is None:
        return None
    arms = [rank_join([assumed(one, what, known) for one in value.values], value.trail) for known in (True, False)]
    return Either(what, arms[0], arms[1], leaves(arms[0]) + leaves(arms[1]))


def shared_choice(value: PerRank, truths: Sequence[bool | Symbol | None]) -> Either | None:
    """The same where some ranks are known to go one way, and one unknown of the program decides for all the others.

    ``rank == 0 or options.everywhere``: with the option all ranks go in together. Parameters: ``truths``, what is known
    of each rank's value.
    """
    unknown = {truth for truth in truths if not isinstance(truth, bool)}
    what = unknown.pop() if len(unknown) == 1 else None
    if what is None:
        return None
    arms = [rank_join([Const(known if one is what else one) for one in truths], value.trail) for known in (True, False)]
    return Either(what, arms[0], arms[1], leaves(arms[0]) + leaves(arms[1]))


def trail_of(value: Value) -> Trail | None:
    """Where a difference between ranks comes from, if the value holds one."""
    if isinstance(value, (PerRank, Varying)):
        return value.trail
    if isinstance(value, Either):
        return trail_of(value.yes) or trail_of(value.no)
    return None


def either(what: Symbol, yes: Value, no: Value) -> Value:
    """A choice, simplified; when it grows past a few leaves it becomes an unknown that keeps what matters."""
    if yes is no or no is UNBOUND or (type(yes) is type(no) and yes == no):
        return yes
    if yes is UNBOUND:
        return no
    if type(yes) is Either or type(no) is Either:
        yes, no = settled(yes, what, True), settled(no, what, False)
        if yes == no:
            return yes
        most = limits.precision().alternatives
        if leaves(yes) + leaves(no) > most:
            yes, no = pruned(yes, most // 2, apart=True), pruned(no, most // 2, apart=True)
        if yes == no:
            return yes
    if type(yes) is Unknown and type(no) is Unknown:
        given = (GIVEN,) if _supplied(what, no) or (is_given(yes) and is_given(no)) else ()
        which = numbered("joined", what, yes.symbol, no.symbol)
        return Unknown(symbol("joined", which, yes.symbol, no.symbol, *given), yes.source or no.source)
    return Either(what, yes, no, leaves(yes) + leaves(no))


def joined_of(what: Symbol) -> tuple[Symbol, Symbol, Symbol] | None:
    """What decides which of two unknowns something is, and the two; None for all else, and where nobody can say."""
    made = what.whole
    parts = [part for part in key_of(made.which) if isinstance(part, Symbol)] if isinstance(made, Joined) else []
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else None


def joined_ways(what: Symbol) -> Iterator[Symbol]:
    """All that something was joined from, each once, however often; itself where it was joined from nothing."""
    stack, seen = [what], set[Symbol]()
    while stack:
        one = stack.pop()
        joined = joined_of(one)
        if one in seen:
            continue
        seen.add(one)
        if joined is None:
            yield one
        else:
            stack += joined[1:]


def is_given(value: Value) -> bool:
    """Whether a value is known not to be ``None``."""
    if isinstance(value, Either):
        return is_given(value.yes) and is_given(value.no)
    if isinstance(value, PerRank):
        return all(map(is_given, value.values))
    if isinstance(value, (Unknown, Varying)):
        return value.symbol.is_there or isinstance(value.symbol.whole, Operation)
    attribute = isinstance(value, Bound) and isinstance(value.function, External)
    return value != NONE and not attribute and not isinstance(value, Unbound)


def _supplied(what: Symbol, old: Unknown) -> bool:
    """Whether ``what`` asks if ``old`` is ``None``: what takes its place is there to be something."""
    return isinstance(what, Is) and what.what is old.symbol and what.against == NONE


def assumed(value: Value, what: Symbol, known: bool) -> Value:
    """The value where a condition that decides over all of it is known."""
    while type(value) is Either and value.symbol is what:
        value = value.yes if known else value.no
    return value


def settled(value: Value, what: Symbol, known: bool) -> Value:
    """The value where a condition that decides over any part of it is known."""
    value = assumed(value, what, known)
    if type(value) is not Either:
        return value
    yes, no = settled(value.yes, what, known), settled(value.no, what, known)
    if yes is value.yes and no is value.no:
        return value
    return yes if yes == no else replace(value, yes=yes, no=no, leaves=leaves(yes) + leaves(no))


def leaves(value: Value) -> int:
    """How many alternatives a value holds."""
    return value.leaves if type(value) is Either else 1


def pruned(value: Value, room: int, *, apart: bool = False) -> Value:
    """The value with at most ``room`` alternatives: what hangs on the latest decisions is kept apart longest.

    Parameters: ``apart``, keep two in the room of one where one decision leads to all that differs by rank.
    """
    if not isinstance(value, Either) or leaves(value) <= room:
        return value
    if room > 1 and value.local is None:
        return either(value.symbol, *(pruned(side, room // 2, apart=apart) for side in (value.yes, value.no)))
    found = list(alternatives(value))
    if not any(type(leaf) in _LOCAL for leaf in found):
        things = {leaf for leaf in found if type(leaf) not in _PLAIN}
        if len(things) == 1 and (Unknown not in map(type, found) or _HOLDERS.isdisjoint(map(type, things))):
            return things.pop()
    return (_own_apart(value) if apart else None) or _blurred(value.yes, value.no)


def _own_apart(value: Either) -> Value | None:
    """One of two values, where one decision of the program leads to all that differs by rank, and to nothing else."""
    for what in dict.fromkeys(_decisions(value)):
        sides = settled(value, what, True), settled(value, what, False)
        if (trail_of(sides[0]) is None) is not (trail_of(sides[1]) is None):
            yes, no = (_blurred(side.yes, side.no) if isinstance(side, Either) else side for side in sides)
            return Either(what, yes, no, 2)
    return None


def _decisions(value: Value) -> Iterator[Symbol]:
    """What all ranks decide alike about a value."""
    if isinstance(value, Either):
        if value.local is None:
            yield value.symbol
        yield from _decisions(value.yes)
        yield from _decisions(value.no)


_HOLDERS = frozenset({Container, Tuple})
"""What holds several things: what is not known may be one of them, where a function gives one thing or a few."""
_LOCAL = (Varying, PerRank)
_PLAIN = (Const, Unknown, Unbound, *_LOCAL)


def is_reshaped(value: Value, base: Value) -> bool:
    """Whether a choice holds the things of ``base`` and no others, so that only what it hangs on is written otherwise.

    A choice that was joined again and again is pruned to the one thing that it holds. Of a choice that some ranks
    pruned, and others did not, nobody can say that their values differ.
    """
    if type(value) is not Either or type(base) is not Either:
        return False
    things = {leaf for leaf in alternatives(base) if type(leaf) not in _PLAIN}
    found = list(alternatives(value))
    if not things or any(type(leaf) in _LOCAL for leaf in found):
        return False
    return things == {leaf for leaf in found if type(leaf) not in _PLAIN}


def alternatives(value: Value) -> Iterator[Value]:
    """What a value is on one path or another."""
    if isinstance(value, Either):
        yield from alternatives(value.yes)
        yield from alternatives(value.no)
    else:
        yield value


def may_be_alike(seen: Sequence[Value]) -> bool:
    """Whether ranks see unknowns that are all the same on some path.

    One has set it anew there, if something unknown let it: ``if rank == 0: if resumed: weights = options.weights``.
    """
    if len(seen) < 2 or not all(isinstance(value, Unknown) for value in seen) or not is_guess(seen):
        return False
    return all(may_be(seen[0], other) for other in seen[1:])


def _blurred(yes: Value, no: Value) -> Value:
    """What is left of too many alternatives; a rank that has one and the same on all of them keeps it."""
    seen = [{*alternatives(project(yes, rank)), *alternatives(project(no, rank))} for rank in range(WORLD_SIZE)]
    if any(len(one) == 1 for one in seen) and (_by_identity(yes) or _by_identity(no)):
        rest = _unsure(yes, no)
        return rank_join([one.pop() if len(one) == 1 else rest for one in seen], trail_of(yes) or trail_of(no))
    return _unsure(yes, no)


def _unsure(yes: Value, no: Value) -> Value:
    local = varying_in(yes) or varying_in(no)
    source = source_of(yes) or source_of(no)
    if local is not None:
        what = symbol(TAINTED, fresh("joined")) if _only_tainted(yes) and _only_tainted(no) else fresh("joined")
        return Varying(local.reason, symbol(PERHAPS, what) if may_be_name(local) else what, local.trail, source)
    who = "membership" if _by_identity(yes) or _by_identity(no) else settings_of(yes, no) or "anything"
    given = (GIVEN,) if is_given(yes) and is_given(no) else ()
    return Unknown(symbol("joined", fresh("joined"), who, *given), source)


def _only_tainted(value: Value) -> bool:
    """Whether ranks can differ in a value only by what something unknown said that was told the rank."""
    local = [leaf for leaf in alternatives(value) if isinstance(leaf, _LOCAL)]
    return all(
        isinstance(leaf, Varying) and leaf.reason is Reason.IDENTITY and is_asked_of(leaf.symbol) for leaf in local
    )


def _by_identity(value: Value) -> bool:
    """Whether some alternative of a value differs by who the rank is."""
    if isinstance(value, Either):
        return _by_identity(value.yes) or _by_identity(value.no)
    return isinstance(value, PerRank)


_DECIDES_AGAIN = frozenset({Reason.DATA, Reason.RANDOM})
"""Reasons for which each rank goes its own way again and again, so that both ways matter."""


def _part_by_part(cause: Varying, yes: Value, no: Value) -> Value | None:
    """Two results of several values each, joined value by value; None for any others."""
    if isinstance(yes, Tuple) and isinstance(no, Tuple) and len(yes.items) == len(no.items):
        return Tuple(tuple(local_join(cause, a, b) for a, b in zip(yes.items, no.items, strict=True)))
    what = next((one.symbol for one in (yes, no) if isinstance(one, Either) and one.local is None), None)
    ways = [*alternatives(yes), *alternatives(no)] if what is not None else []
    if what is None or not all(isinstance(way, Tuple) for way in ways):
        return None
    return either(what, *(local_join(cause, assumed(yes, what, so), assumed(no, what, so)) for so in (True, False)))


def _both_kept(cause: Varying, yes: Value, no: Value) -> Value | None:
    """A choice between two values that a program distinguishes later, where each rank decides again and again."""
    if cause.reason not in _DECIDES_AGAIN or not _are_distinguished(yes, no):
        return None
    own = Varying(cause.reason, fresh("parted"), cause.trail)
    return Either(own.symbol, yes, no, 2, own)


def _are_distinguished(yes: Value, no: Value) -> bool:
    """Whether they are something and nothing, two objects of one class, or two containers of one kind."""
    if NONE in (yes, no):
        return not isinstance(yes, (PerRank, Either)) and not isinstance(no, (PerRank, Either))
    if isinstance(yes, Container) and isinstance(no, Container):
        return yes.kind == no.kind
    return isinstance(yes, Instance) and isinstance(no, Instance) and yes.cls == no.cls


CALLABLES = (Bound, External, Function, OnRanks, Partial)


def local_join(cause: Varying, yes: Value, no: Value) -> Value:
    """What a location holds after each rank took the arm it liked."""
    if yes == no or no is UNBOUND:
        return yes
    if yes is UNBOUND:
        return no
    by_identity = next((value for value in (yes, no) if isinstance(value, PerRank)), None)
    if by_identity is not None:
        values = [local_join(cause, project(yes, rank), project(no, rank)) for rank in range(WORLD_SIZE)]
        if all(isinstance(value, Varying) and value.trail is cause.trail for value in values):
            return values[0]  # who the rank is did not decide
        return rank_join(values, by_identity.trail)
    if isinstance(yes, CALLABLES) and isinstance(no, CALLABLES):
        return Either(cause.symbol, yes, no, 2, cause)
    shared = next((one for one in (yes, no) if isinstance(one, Either) and one.local is None), None)
    if shared is not None and (no if shared is yes else yes) in (shared.yes, shared.no):
        arms = ((way, no) if shared is yes else (yes, way) for way in (shared.yes, shared.no))
        return either(shared.symbol, *(local_join(cause, *arm) for arm in arms))  # on one way it is the same for all
    source = source_of(yes) or source_of(no)
    failed = cause.reason is Reason.EXCEPTION  # what was worked out where nothing failed is what most runs have
    apart = None if failed else _part_by_part(cause, yes, no) or _both_kept(cause, yes, no)
    if apart is not None:
        return apart
    for value, other in ((yes, no), (no, yes)):
        if isinstance(value, Wrapped) and value.inner == other:
            return value  # whoever may have left it as it was
    for value in (no, yes) if failed else (yes, no):
        if not isinstance(value, (Const, Unknown, Varying, PerRank, Either)):
            return value
    if failed and yes != NONE and (own := varying_in(no)) is not None:
        return Varying(own.reason, fresh("parted"), own.trail, source)
    tainted = cause.reason is Reason.IDENTITY and is_asked_of(cause.symbol)
    what = symbol(TAINTED, fresh("parted")) if tainted else fresh("parted")
    if is_given(yes) and is_given(no):
        what = symbol("supplied", what, GIVEN)
    counted = cause.reason is Reason.LENGTH and NONE not in (yes, no)
    reason = Reason.DATA if counted else cause.reason  # how much there is decided between two values, and is neither
    return Varying(reason, what, cause.trail, source)
