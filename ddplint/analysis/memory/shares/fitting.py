"""What was made to fit before ranks share it out: cut, filled up, or checked, so that it divides by their number."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.term import Big, Joined, Len, Operation, Slice, Symbol
from ddplint.analysis.domain.values import NONE, WORLD_SIZE, Const, Container, Object, Unknown, Value, Varying
from ddplint.analysis.memory.filling import MadeIn
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import tried_sizes

_FITTED = (Operation, Joined, Big)

_NOTHING_LEFT: dict[object, bool] = {"==": True, "!=": False, ">": False}
"""How a comparison of what is left with 0 comes out where nothing is left."""

_ONE_BY_ONE = (NONE, Const(1))

_SUMS = frozenset({"+", "-"})


def fits(w: Interp, receiver: Container) -> None:
    """A list was made longer or shorter, other than by a loop over what goes into it: perhaps so that it divides."""
    made_in = w.record(MadeIn).loops.get(receiver.id, len(w.around))
    loops = [loop for loop in w.around[made_in:] if loop.depth == len(w.frames)]
    builds = loops and loops[-1].source is not None and not _counts(loops[-1].source)
    if not builds:
        w.marks.add(("evened", receiver.id))


def cut(w: Interp, receiver: Value, method: str, made: Value) -> None:
    """A method of a library's sequence gave another one: cut to a length, or made of one that was."""
    fitted = isinstance(receiver, Object) and ("evened", receiver.id) in w.marks
    if isinstance(made, Object) and (fitted or method in w.knowledge.quiet("cuts")):
        w.marks.add(("evened", made.id))


def evened(w: Interp, base: Value, step: Value | None = None) -> bool:
    """Whether a sequence was made to fit before ranks share it out: perhaps so that it divides.

    Something was added to it or cut off, or a multiple of the number of ranks (of ``step``, by which they share it out)
    went into how many parts it has, or the program has checked it.
    """
    if is_checked(w, base, step):
        return True
    if isinstance(base, (Container, Object)):
        return ("evened", base.id) in w.marks
    if not isinstance(base, (Unknown, Varying)) or (isinstance(base, Varying) and base.reason is Reason.LENGTH):
        return False
    if isinstance(base.symbol, Slice):
        return _is_cut_to_fit(w, base.symbol, step)
    return isinstance(base.symbol, _FITTED) or holds_multiple(base.symbol, step)


def _is_cut_to_fit(w: Interp, piece: Slice, step: Value | None) -> bool:
    """Whether a slice may have been cut so that it divides.

    Not one whose end hangs on nothing but how long the whole is: ``lines[1:]``, ``names[: int(0.8 * len(names))]``.
    """
    whole, bounds = piece.base, piece.bounds
    if any(isinstance(bound, Symbol) and holds_multiple(bound, step) for bound in bounds):
        return True
    if len(bounds) != 3 or not tried_sizes.is_by_length(whole, bounds[1]) or bounds[2] not in _ONE_BY_ONE:
        return True
    rest = Unknown(whole) if isinstance(whole, Symbol) else whole
    return isinstance(rest, Value) and evened(w, rest, step)


def _counts(source: Value) -> bool:
    return isinstance(source, Object) and source.name == "builtins.range"


def is_checked(w: Interp, base: Value, step: Value | None = None) -> bool:
    """Whether it was checked on the way here that the elements of a sequence, or a number, divide by the ranks.

    Of a number (the stop of a range) it is enough that it is worked out from one that divides.
    """
    for number in _divided(w, step):
        if isinstance(base, Unknown) and (base.symbol is number or number in base.symbol.within(limits.TERM_PARTS)):
            return True
        if isinstance(number, Len) and number.of in (base, getattr(base, "symbol", base)):
            return True
    return False


def _divided(w: Interp, step: Value | None) -> Iterator[Symbol]:
    """The numbers that are known on this path to divide by the number of ranks."""
    for what, holds in w.state.path.known.items():
        rest = what
        if isinstance(what, Operation) and (nothing := _NOTHING_LEFT.get(what.sign)) is not None:
            left, against = what.operands
            if against == Const(0) and isinstance(left, Symbol):
                rest, holds = left, holds is not nothing
        if not holds and isinstance(rest, Operation) and rest.sign == "%" and counts_ranks(rest.operands[1], step):
            yield from (part for part in rest.operands[:1] if isinstance(part, Symbol))


def counts_ranks(part: object, step: Value | None) -> bool:
    """Whether a part of a name is the number of ranks: the known one, or the ``step`` in which ranks go."""
    return part == Const(WORLD_SIZE) or (isinstance(step, Unknown) and part is step.symbol)


def holds_multiple(what: Symbol, step: Value | None) -> bool:
    """Whether a multiple of the number of ranks went into something, or a number was brought to one.

    ``n - n % ranks`` is one, and so is ``n + (ranks - n % ranks) % ranks``: the rest taken off, or filled up.
    """
    return any(
        any(counts_ranks(factor, step) for factor in _factors(one.whole)) or _is_brought_to(one, step)
        for one in what.within(limits.TERM_PARTS)
    )


def _factors(what: Symbol) -> tuple[object, ...]:
    return what.operands if isinstance(what, Operation) and what.sign == "*" else ()


def _is_brought_to(what: Symbol, step: Value | None) -> bool:
    """Whether a sum or difference of a number is with what is left of it by the number of ranks."""
    made = what.whole
    if not isinstance(made, Operation) or made.sign not in _SUMS:
        return False
    inside = (one.whole for part in made.operands if isinstance(part, Symbol) for one in part.within(limits.TERM_PARTS))
    rests = (one.operands for one in inside if isinstance(one, Operation) and one.sign == "%")
    return any(number in made.operands and counts_ranks(by, step) for number, by in rests)
