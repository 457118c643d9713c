"""What a container holds where each rank's data said what to put in."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import local_join
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Filled, Symbol
from ddplint.analysis.domain.values import Const, Tuple, Unknown, Value, Varying, varying_in

_COUNTED = frozenset({Reason.DATA, Reason.LENGTH, Reason.RANDOM})
"""Reasons that leave ranks with unequally much; what files and clocks say is mostly alike."""


def length_join(cause: Varying, yes: Value, no: Value, *, ordered: bool) -> Value:
    """What a container holds where each rank's data said what to put in: unequally much; a list holds it in order."""
    apart = isinstance(yes, Tuple) and isinstance(no, Tuple) and len(yes.items) != len(no.items)
    if (apart or _is_uneven(yes) or _is_uneven(no)) and cause.reason in _COUNTED:
        ways = [ways_of(content) for content in (yes, no)]
        found = Varying(Reason.LENGTH, fresh("filled"), cause.trail)
        return filled([Tuple(way) for side in ways for way in side], found) if all(ways) else found
    known = [isinstance(content, Tuple) for content in (yes, no)]
    if known[0] != known[1] and isinstance(no if known[0] else yes, (Unknown, Varying)):
        return Varying(cause.reason, fresh("parted"), cause.trail)
    if isinstance(yes, Tuple) and isinstance(no, Tuple) and not (ordered and len(yes.items) == len(no.items)):
        return yes  # what was put in under which key is kept elsewhere
    return local_join(cause, yes, no)


def filled(ways: Sequence[Tuple], like: Varying) -> Value:
    """A content that each rank's data decides on: one of these. The only one, where all are of the same elements."""
    different: dict[tuple[int, frozenset[Value]], Tuple] = {}
    for way in ways:
        different.setdefault((len(way.items), frozenset(way.items)), way)
    if len(different) == 1:
        return ways[0]
    if len({count for count, _ in different}) == 1:
        return Varying(Reason.DATA, fresh("filled"), like.trail)
    named = all(isinstance(one, Const) for way in different.values() for one in way.items)
    if not named or len(different) > limits.LEAVES:
        return Varying(Reason.LENGTH, fresh("filled"), like.trail)
    known = (Const(tuple(one.value for one in way.items if isinstance(one, Const))) for way in different.values())
    return Varying(Reason.LENGTH, symbol("filled", fresh("filled"), *known), like.trail)


def ways_of(content: Value) -> Sequence[tuple[Const, ...]]:
    """The constants that a container holds on each way; none where that is not known."""
    if isinstance(content, Tuple):
        known = tuple(one for one in content.items if isinstance(one, Const))
        return [known] if len(known) == len(content.items) else []
    return ways_in(content.symbol) if isinstance(content, Varying) else []


def ways_in(what: Symbol) -> Sequence[tuple[Const, ...]]:
    """The same of what names such a content."""
    made = what.whole
    if not isinstance(made, Filled):
        return []
    return [tuple(map(Const, part.value)) for part in made.ways if isinstance(part, Const)]


def _is_uneven(content: Value) -> bool:
    local = varying_in(content)
    return local is not None and local.reason is Reason.LENGTH
