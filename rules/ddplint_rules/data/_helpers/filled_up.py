"""Evaluations over what accelerate has prepared, which fills the last batches up with samples from the front."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ddplint.rule import Const, Effect, Event, LoopFrame, Object, Symbol, Tuple, Unknown, Value, Varying, Walk, terms
from ddplint.rule.facts import SHARD, around

_GATHER = "accelerate.Accelerator.gather"
_AWARE = re.compile(r"\[\s*:\s*\w*len\(|\[\s*:\s*\w*(?:num|count|total|seen)|remainder|even_batches|duplicat")
"""How a program cuts off what was filled up, or says that nothing is."""
_DEPTH = 6


def filled_up(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Loops that evaluate, and what gathers in them the labels of whole batches, with those that came twice."""
    yield from _in_evaluations(walk, _is_of_batch)


def as_numbers(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """The same, and what gathers for a metric what each rank has made one number of, of those that came twice, too."""
    yield from _in_evaluations(walk, _is_of_one_number)


def _in_evaluations(walk: Walk, asked: Callable[[Event], bool]) -> Iterator[tuple[Event, Event]]:
    for event in walk.doing(Effect.ITERATE):
        loop = event.details["loop"]
        if loop is None or not event.by_all or not any(map(_may_repeat, around(event.receiver))):
            continue
        if any(loop in one.loops for one in walk.doing(Effect.BACKWARD, Effect.OPTIMIZER_STEP)) or _trains(walk, loop):
            continue
        gather = next((one for one in walk.doing(Effect.COLLECTIVE) if loop in one.loops and asked(one)), None)
        if gather is not None and not _AWARE.search(gather.file.text) and walk.run_together(gather):
            yield event, gather


def _trains(walk: Walk, loop: LoopFrame) -> bool:
    return any(loop in one.loops and one.name.endswith("Accelerator.backward") for one in walk.events)


def _may_repeat(loader: Object) -> bool:
    """Whether a prepared loader goes through its samples in order, to the last one."""
    ordered = loader.argument(2, "shuffle") in (None, Const(False))
    return loader.name == SHARD and ordered and loader.argument(8, "drop_last") in (None, Const(False))


def _is_of_batch(event: Event) -> bool:
    """Whether accelerate's plain gather is given a part of the batch as it came."""
    given = event.argument("tensor", 0)
    values = given.items if isinstance(given, Tuple) else (given,)
    return event.name == _GATHER and any(_is_part(value, _DEPTH) for value in values)


def _is_part(value: Value | object, depth: int) -> bool:
    what = value.symbol if isinstance(value, (Unknown, Varying)) else value
    if not isinstance(what, Symbol) or not depth:
        return False
    if isinstance(what, (terms.Item, terms.Part)):
        inner = what.base
        return (isinstance(inner, terms.Fresh) and inner.is_fresh("batch")) or _is_part(inner, depth - 1)
    return False


def _is_of_one_number(event: Event) -> bool:
    """Whether gather_for_metrics is given the mean or the sum over a batch: nothing can be left out of that."""
    given = event.argument("input_data", 0)
    made = given.symbol.whole if isinstance(given, Varying) else None
    if not event.name.endswith(_FOR_METRICS) or not isinstance(made, terms.Method) or made.name not in _TO_ONE:
        return False
    return all(terms.term_of(one) is made.receiver for one in made.args)


_FOR_METRICS = ".gather_for_metrics"
_TO_ONE = frozenset({"mean", "sum"})
