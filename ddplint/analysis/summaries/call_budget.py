"""Long functions that only compute: in a long walk they are not walked for the third time.

A loss that loops over layers and boxes costs thousands of steps and speaks to nobody, and a training loop asks for it
again in each of its rounds. What it gives then is made of its arguments, as it was before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import Const, Function, Instance, Object, Tuple, Value
from ddplint.analysis.semantics import expressions
from ddplint.analysis.trace.nodes import Op, Opaque, every

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

_LONG = 200
"""Steps of a walk through a function that are worth saving."""
_TWICE = 2
_SILENT = frozenset({"iterate", "name_device", "raise", "use_device"})


@dataclass(slots=True)
class Cost:
    """How often in a row a function took many steps and only computed, and what it gave the last time."""

    walks: int
    result: Value


@dataclass(slots=True)
class Before:
    """What a walk had come to when a function was called."""

    steps: int
    nodes: int
    events: int


def before(w: Walker) -> Before:
    """Where the walk stands, to tell afterwards what a call added."""
    return Before(w.steps, len(w.state.trace), len(w.events))


def note(w: Walker, function: Function, start: Before, result: Value) -> None:
    """Note a call that cost much; a function that speaks, or calls something that might, is no longer counted."""
    old, steps = w.costs.pop(function.key, None), w.steps - start.steps
    if steps < _LONG or any(event.effect not in _SILENT for event in w.events[start.events :]):
        return
    if not any(isinstance(node, (Op, Opaque)) for node in every(w.state.trace[start.nodes :])):
        w.costs[function.key] = Cost(old.walks + 1 if old is not None else 1, result)


def known(w: Walker, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value | None:
    """What a long function gives that was walked often enough; None where it is to be walked."""
    cost = w.costs.get(function.key)
    if cost is None or not w.long or cost.walks < _TWICE:
        return None
    if isinstance(cost.result, (Const, Instance, Object)):
        return cost.result
    given = [*args, *kwargs.values()]
    if isinstance(cost.result, Tuple):
        count = len(cost.result.items)
        return Tuple(tuple(expressions.derived(("computed", function, index), given) for index in range(count)))
    return expressions.derived(("computed", function), given)
