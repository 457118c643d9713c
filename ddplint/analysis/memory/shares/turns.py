"""Numbers of which each rank takes its own: the turns of a loop that are dealt out to the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ddplint.analysis.domain.provenance import counters_in
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Not, Operation
from ddplint.analysis.domain.values import Object, PerRank, Unknown, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.shares import fitting, tried_sizes


@dataclass(slots=True)
class SharedOut(Record):
    """Unknown numbers of which each rank takes its own, as ``if index % world_size != rank: continue`` does."""

    life = Life.FILE
    counters: set[Symbol] = field(default_factory=set)


@dataclass(slots=True)
class Counted(Record):
    """What the numbers of rounds count through: a range, or what is enumerated."""

    life = Life.FILE
    through: dict[Symbol, Value] = field(default_factory=dict)


def counts(w: Interp, number: Unknown, source: Value) -> Unknown:
    """A number that counts through ``source``; itself, for the caller's convenience."""
    w.record(Counted).through[number.symbol] = source
    return number


def counts_on(w: Interp, number: Symbol, later: Symbol) -> None:
    """In a later round another number counts through the same."""
    through = w.record(Counted).through
    if number in through:
        through[later] = through[number]


def dealt(w: Interp, asked: PerRank) -> Unknown | None:
    """What stands for a condition by which each rank takes its turns, where all are known to get equally many.

    In a group of rounds each rank has one, so all of them may be walked as if they had it in the same.
    """
    if (numbers := counters_in(asked.values)) and len(numbers) == 1:
        (number,) = numbers
        source = w.record(Counted).through.get(number)
        if source is not None and _equally(w, source, number, asked.values):
            first = asked.values[0]
            assert isinstance(first, Unknown)
            return Unknown(symbol("dealt", first.symbol))
    return None


def _equally(w: Interp, source: Value, number: Symbol, asked: Sequence[Value]) -> bool:
    tried = tried_sizes.unequal_turns(source, number, asked)
    step = _step(asked[0], number)
    if tried is False or step is None:
        return tried is False
    if isinstance(source, Object) and source.name == "builtins.range":
        stop = source.args[-1]
        if len(source.args) != 1 or not isinstance(stop, Unknown):
            return False
        return fitting.is_checked(w, stop, step) or fitting.holds_multiple(stop.symbol, step)
    return fitting.evened(w, source, step)


def _step(asked: Value, number: Symbol) -> Value | None:
    """The step in which ranks take elements: ``n`` of ``number % n == own``."""
    what = asked.symbol if isinstance(asked, Unknown) else None
    while isinstance(what, Not) and isinstance(what.inner, Symbol):
        what = what.inner
    if not isinstance(what, Operation) or what.sign not in ("==", "!="):
        return None
    for rest in what.operands:
        if isinstance(rest, Operation) and rest.sign == "%" and rest.operands[0] is number:
            step = rest.operands[1]
            return Unknown(step) if isinstance(step, Symbol) else step if isinstance(step, Value) else None
    return None
