"""Whether ranks get equally many elements, tried out: the bounds of each rank's share, with several lengths put in.

How a program works out its shares (rounded up, clamped, the rest to the last rank) has too many spellings to be known
one by one. But all of them are arithmetic on one length, so they are computed for lengths that divide by the ranks and
lengths that do not. Where something else is in the arithmetic, nothing is said.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.join import joined_of, project
from ddplint.analysis.domain.term import Call, Compound, Len, Operation, Slice, Symbol, Truth
from ddplint.analysis.domain.values import (
    NONE,
    UNBOUND,
    WORLD_SIZE,
    Const,
    Container,
    Either,
    External,
    Object,
    PerRank,
    Unknown,
    Value,
)
from ddplint.util import figures

_LENGTHS = (101, 102, 103, 104)
_OPERATORS: dict[object, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_NEGATED: dict[object, Callable[..., Any]] = {"unary -": operator.neg}
_FUNCTIONS: dict[object, Callable[..., Any]] = {
    "math.ceil": math.ceil,
    "math.floor": math.floor,
    "min": min,
    "max": max,
    "int": math.trunc,
    "numpy.ceil": math.ceil,
    "numpy.floor": math.floor,
}
_COMPARED: dict[object, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LOGIC: dict[object, Callable[[Iterator[bool]], bool]] = {"and": all, "or": any, "not": lambda parts: not next(parts)}
_DEPTH = 24

Start = Symbol | External
"""What arithmetic may begin with: External is a number of another module."""


class _NotKnown(Exception):
    """Something else than the one length decides."""


UNDECIDED = (_NotKnown, ArithmeticError, ValueError, TypeError)


def unequal(base: Value, bounds: Sequence[Value], counts: Iterable[Symbol] = ()) -> bool | None:
    """Whether ``base[lower:upper:step]`` has another number of elements on some rank, for some length of what is cut.

    Parameters: ``bounds`` are lower, upper and step, at least one of them another on each rank; ``counts``, unknown
    numbers that say how many ranks there are. ``None``: not known.
    """
    cut = terms.key_of(base)
    whole = _root(cut)
    strided = bounds[1] == NONE and bounds[2] != NONE
    if not strided and not any(unknowns_of(one) for bound in bounds for one in _of_ranks(bound)):
        return None  # so many each: whoever writes that takes the whole to be long enough

    def share(own: Sequence[Value], length: int) -> int:
        trial = Trial(whole, known, length)
        return len(range(trial.size(cut))[slice(*map(trial.bound, own))])

    known: dict[Start, int] = dict.fromkeys(counts, WORLD_SIZE)
    return _differ(bounds, share)


def unequal_parts(parts: PerRank) -> tuple[object, bool] | None:
    """What ranks have a slice of each, and whether these have another number of elements on some rank.

    ``None``: they are no slices of one whole, or it is not known how many elements they have.
    """
    cut = [terms.key_of(part) for part in parts.values if part is not UNBOUND]
    wholes = {whole for part in cut for whole in _roots(part)}
    if len(wholes) != 1 or all(part in wholes for part in cut):
        return None
    (whole,) = wholes
    try:
        sizes = [{Trial(whole, {}, length).size(part) for part in cut} for length in _LENGTHS]
    except UNDECIDED:
        return None
    return whole, any(len(own) > 1 for own in sizes)


def unequal_rounds(
    element: object, number: Symbol, source: Object, places: Sequence[int]
) -> tuple[object, bool] | None:
    """The same of a list with a slice for each iteration of a loop, where each rank has that of one of its ``places``.

    Parameters: ``element`` is the slice of an iteration, in which ``number`` counts through ``source``, a range.
    """
    wholes, ends = set(_roots(element)), _ends(source)
    if len(wholes) != 1 or ends is None:
        return None
    (whole,) = wholes

    def size(place: int, length: int) -> int:
        trial = Trial(whole, {}, length)
        rounds = range(*map(trial.whole_number, ends))
        if place >= len(rounds):
            raise _NotKnown
        return trial.at(number, rounds[place]).size(element)

    try:
        return whole, any(len({size(place, length) for place in places}) > 1 for length in _LENGTHS)
    except UNDECIDED:
        return None


def unequal_range(arguments: Sequence[Value]) -> bool | None:
    """Whether ``range(*arguments)`` has another number of elements on some rank, for some value of the one unknown.

    Numbers of elements that slices of one whole have are reckoned from how many that has.
    """
    numbers = [one for bound in arguments for one in _of_ranks(bound)]
    unknown, whole = _only_unknown(numbers), None
    if unknown is None or isinstance(unknown, Len):
        whole = _only_whole(numbers)

    def share(own: Sequence[Value], length: int) -> int:
        trial = Trial(whole, {} if unknown is None else {unknown: length}, length)
        return len(range(*(_whole_number(trial.number(bound)) for bound in own)))

    return None if unknown is None and whole is None else _differ(arguments, share)


def unequal_turns(source: Value, number: Symbol, taken: Sequence[Value]) -> bool | None:
    """Whether some rank takes more of the elements that a loop goes through than another, for some length of them.

    Parameters: ``source`` is a range, or what is enumerated; ``number`` counts through it; ``taken`` says for each
    rank, by that number, whether an element is its own. ``None``: not known.
    """
    ends = _ends(source)
    whole = _root(terms.key_of(source)) if ends is None else None
    unknown = None if ends is None else _only_unknown(ends)

    def share(own: Sequence[Value], length: int) -> int:
        trial = Trial(whole, {} if unknown is None else {unknown: length}, length)
        numbers = range(trial.size(terms.key_of(source))) if ends is None else range(*map(trial.whole_number, ends))
        return sum(trial.at(number, position).holds(own[0]) for position in numbers)

    return _differ([PerRank(tuple(taken))], share)


def too_long_and_unequal(args: Sequence[Value], walked: int) -> bool:
    """Whether a range of known ends gives each rank its own number of iterations, more than are walked one by one.

    Parameters: ``walked``, how many iterations of a loop are walked. Where a rank has none, the others are walked.
    """
    ranks = next((len(arg.values) for arg in args if isinstance(arg, PerRank)), 0)
    ends = ([project(arg, rank) for arg in args] for rank in range(ranks))
    counts = {figures.count_of([end.value for end in own if isinstance(end, Const)]) for own in ends}
    known = {count for count in counts if count is not None}
    return len(known) == len(counts) > 1 and min(known) > 0 and max(known) > walked


def is_by_length(whole: object, end: object) -> bool:
    """Whether the end of a slice is that of the whole, or reckoned from how long the whole is and from nothing else.

    Parameters: ``whole`` is what stands for what is cut; ``end`` is the slice's stop.
    """
    if end == NONE or (isinstance(end, Const) and isinstance(end.value, int) and end.value < 0):
        return True
    parts = unknowns_of(end)
    return bool(parts) and all(isinstance(part, Len) and _measured(part.of) == whole for part in parts)


def _measured(of: object) -> object:
    """Of what a length was asked: a list that is changed has another name each time."""
    made = of.whole if isinstance(of, Symbol) else None
    return made.of if isinstance(made, Truth) and isinstance(made.of, Container) else of


def _ends(source: Value) -> tuple[Value, ...] | None:
    """What a range was made of; ``None`` for anything else."""
    return source.args if isinstance(source, Object) and source.name == "builtins.range" else None


def _only_unknown(numbers: Iterable[object]) -> Start | None:
    """The one thing that the arithmetic of some numbers begins with; ``None`` where it is none, or several."""
    seen = frozenset[Start]().union(*(unknowns_of(one) for one in numbers))
    return next(iter(seen)) if len(seen) == 1 else None


def _only_whole(numbers: Iterable[object]) -> object:
    """What all that numbers begin with are lengths of slices of; ``None`` where something else is among them."""
    seen = frozenset[Start]().union(*(unknowns_of(one) for one in numbers))
    if not seen or not all(isinstance(one, Len) for one in seen):
        return None
    wholes = {whole for one in seen if isinstance(one, Len) for whole in _roots(_measured(one.of))}
    return wholes.pop() if len(wholes) == 1 else None


def _differ(bounds: Sequence[Value], share: Callable[[Sequence[Value], int], int]) -> bool | None:
    ranks = next((len(bound.values) for bound in bounds if isinstance(bound, PerRank)), 0)
    each = ([project(bound, rank) for bound in bounds] for rank in range(ranks))
    shares = [own for own in each if UNBOUND not in own]
    try:
        return any(len({share(own, length) for own in shares}) > 1 for length in _LENGTHS)
    except UNDECIDED:
        return None


def _of_ranks(bound: Value) -> Sequence[Value]:
    return bound.values if isinstance(bound, PerRank) else (bound,)


def unknowns_of(what: object) -> frozenset[Start]:
    """What the arithmetic of a number begins with."""
    found, seen, stack = set[Start](), set[object](), [what]
    while stack:
        one = stack.pop()
        one = one.symbol if isinstance(one, Unknown) else one
        if isinstance(one, External):
            found.add(one)
        if not isinstance(one, (Symbol, Either)) or one in seen:
            continue
        seen.add(one)
        parts: Sequence[object] | None = _choice(one)
        if parts is None and isinstance(one, Symbol):
            parts = _asked(one) or (inner[1] if (inner := _computed(one)) is not None else None)
        if parts is not None and len(seen) <= limits.TERM_PARTS:
            stack += parts
        elif isinstance(one, Symbol):
            found.add(one)
    return frozenset(found)


def _choice(what: object) -> tuple[Symbol, object, object] | None:
    """What all ranks decide by between two numbers, and the two."""
    if isinstance(what, Either):
        return (what.symbol, what.yes, what.no) if what.local is None else None
    return joined_of(what) if isinstance(what, Symbol) else None


def _asked(what: Symbol) -> Sequence[object] | None:
    """The parts of a condition, which counts as 1 where it is true and as 0 elsewhere."""
    made = what.whole
    if isinstance(made, Compound):
        return made.parts
    return made.operands if isinstance(made, Operation) and made.sign in _COMPARED else None


def _computed(what: Symbol) -> tuple[Callable[..., Any], Sequence[object]] | None:
    """The function that a number is worked out by, and of what."""
    made = what.whole
    if isinstance(made, Operation):
        found = {1: _NEGATED, 2: _OPERATORS}.get(len(made.operands), {}).get(made.sign)
        return (found, made.operands) if found is not None else None
    if isinstance(made, Call) and made.args and made.name in _FUNCTIONS:
        return _FUNCTIONS[made.name], made.args
    return None


def _root(what: object) -> object:
    """The sequence that slices were cut from."""
    while isinstance(what, Symbol) and isinstance(cut := what.whole, Slice):
        what = cut.base
    return what


def _roots(what: object) -> Iterator[object]:
    """The same where which of several slices it is hangs on conditions: of all of them."""
    seen, stack = set[object](), [what]
    while stack:
        one = _root(stack.pop())
        one = terms.key_of(one) if isinstance(one, Value) else one
        if one in seen:
            continue
        seen.add(one)
        choice = _choice(one) if len(seen) <= limits.TERM_PARTS else None
        if choice is None:
            yield one
        else:
            stack += choice[1:]


@dataclass(frozen=True)
class Trial:
    """``length`` put in for how long the sequence ``whole`` is, and numbers for those that are ``known``."""

    whole: object
    known: Mapping[Start, int]
    length: int
    seen: dict[Symbol, float] = field(default_factory=dict, compare=False)
    """What numbers came to: the same is in many others."""

    def at(self, number: Symbol, position: int) -> Trial:
        """The same in the iteration in which a number that counts is at ``position``."""
        return Trial(self.whole, {**self.known, number: position}, self.length)

    def holds(self, what: object, depth: int = 0) -> bool:
        """Whether a condition on numbers is true. Raises :class:`_NotKnown` where something else decides."""
        what = what.symbol if isinstance(what, Unknown) else what
        if isinstance(what, Const):
            return bool(what.value)
        if not isinstance(what, Symbol) or depth > _DEPTH:
            raise _NotKnown
        made = what.whole
        if isinstance(made, Compound):
            return _LOGIC[made.head](self.holds(part, depth + 1) for part in made.parts)
        if isinstance(made, Operation) and made.sign in _COMPARED:
            return _COMPARED[made.sign](*(self.number(part, depth + 1) for part in made.operands))
        return self.number(what, depth + 1) != 0

    def chosen(self, choice: tuple[Symbol, object, object], depth: int) -> object:
        """Which of two it is."""
        return choice[1] if self.holds(choice[0], depth + 1) else choice[2]

    def bound(self, what: object) -> int | None:
        """A bound of a slice."""
        return None if what == NONE else self.whole_number(what)

    def whole_number(self, what: object) -> int:
        """What comes to a whole number. Raises :class:`_NotKnown` for all others."""
        return _whole_number(self.number(what))

    def size(self, what: object, depth: int = 0) -> int:
        """How many elements a sequence has."""
        if self.whole is not None and what == self.whole:
            return self.length
        what = what.symbol if isinstance(what, Unknown) else what
        if depth < _DEPTH and (choice := _choice(what)) is not None:
            return self.size(self.chosen(choice, depth), depth + 1)
        cut = what.whole if isinstance(what, Symbol) else None
        if depth < _DEPTH and isinstance(cut, Slice) and len(cut.bounds) == 3:
            return len(range(self.size(cut.base, depth + 1))[slice(*map(self.bound, cut.bounds))])
        raise _NotKnown

    def number(self, what: object, depth: int = 0) -> float:
        """What a number comes to. Raises :class:`_NotKnown` where something else decides."""
        if isinstance(what, Const) and isinstance(what.value, (int, float)):
            return what.value
        what = what.symbol if isinstance(what, Unknown) else what
        if isinstance(what, External) and what in self.known:
            return self.known[what]
        if isinstance(what, Either) and depth < _DEPTH and (choice := _choice(what)) is not None:
            return self.number(self.chosen(choice, depth), depth + 1)
        if not isinstance(what, Symbol) or depth > _DEPTH:
            raise _NotKnown
        if what in self.known:
            return self.known[what]
        if what not in self.seen:
            self.seen[what] = self._worked_out(what, depth)
        return self.seen[what]

    def _worked_out(self, what: Symbol, depth: int) -> float:
        if (choice := _choice(what)) is not None:
            return self.number(self.chosen(choice, depth), depth + 1)
        if _asked(what) is not None:
            return self.holds(what, depth + 1)
        if isinstance(made := what.whole, Len) and len(made.parts) == 1:
            return self.size(_measured(made.of), depth + 1)
        computed = _computed(what)
        if computed is None:
            raise _NotKnown
        number: float = computed[0](*(self.number(part, depth + 1) for part in computed[1]))
        return number


def _whole_number(number: float) -> int:
    whole = figures.whole(number)
    if whole is None:
        raise _NotKnown
    return whole
