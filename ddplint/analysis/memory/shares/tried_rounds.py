"""Whether two things happen in one iteration of a loop, tried out: its number, and whatever else is in the arithmetic.

When gradients are reduced and when the weights are updated is decided by remainders of the number of the iteration, in
as many spellings as there are programs. All are arithmetic on that number, on how many micro-batches make a step, and
perhaps on the length of the loader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from ddplint.analysis.domain.term import Len, Symbol
from ddplint.analysis.memory.shares.tried_sizes import UNDECIDED, Start, Trial, unknowns_of

_COUNTS = (2, 3, 4)
"""How many iterations something may be done after."""
_LENGTHS = (13, 24)
"""How many there may be in all."""
_MOST_UNKNOWN = 2


def meet(one: Mapping[Symbol, bool], other: Mapping[Symbol, bool]) -> bool | None:
    """Whether what happens on some conditions happens in an iteration in which what happens on others does.

    Conditions that both have are left out. ``None``: something else than numbers decides, or which they are does.
    """
    asked = {what: known for what, known in {**one, **other}.items() if not (what in one and what in other)}
    if any(one[what] is not other[what] for what in one.keys() & other.keys()):
        return False
    numbers = {what.counters for what in asked}
    if len(numbers) != 1:
        return None
    counters = numbers.pop()
    unknown = sorted(frozenset[Start]().union(*map(unknowns_of, asked)) - {*counters}, key=repr)
    if len(counters) != 1 or len(unknown) > _MOST_UNKNOWN or any(map(_is_counted, unknown)):
        return None
    try:
        answers = {any(_together(asked, counters[0], values)) for values in _tries(unknown)}
    except UNDECIDED:
        return None
    return answers.pop() if len(answers) == 1 else None


def _is_counted(what: Start) -> bool:
    """Whether it is what unseen code makes of the number of the iteration."""
    return isinstance(what, Symbol) and bool(what.counters)


def _tries(unknown: list[Start]) -> Iterator[dict[Start, int]]:
    choices = product(*(_LENGTHS if isinstance(one, Len) else _COUNTS for one in unknown))
    return (dict(zip(unknown, values, strict=True)) for values in choices)


def _together(asked: Mapping[Symbol, bool], counter: Symbol, values: Mapping[Start, int]) -> Iterator[bool]:
    """For each iteration whether all conditions are as they have to be."""
    rounds = max((value for what, value in values.items() if isinstance(what, Len)), default=_LENGTHS[-1])
    for number in range(rounds):
        trial = Trial(None, {**values, counter: number}, rounds)
        yield all(trial.holds(what) is known for what, known in asked.items())
