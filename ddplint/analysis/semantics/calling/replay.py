"""On the coarsest rung a function that these ranks have called before is not walked again.

What it did the first time stands in the trace once more; what it was given this time is forgotten, and so is what it
would have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ddplint.analysis.domain import limits, provenance, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Function, Value
from ddplint.analysis.memory import filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.trace.nodes import Nodes, Scope


@dataclass(slots=True)
class Walked(Record):
    """What a call of a function left in the trace, and the ranks that went on behind it, by function and ranks."""

    life = Life.ENTRY
    calls: dict[tuple[int, int], tuple[Nodes, int]] = field(default_factory=dict)


def replayed(w: Interp, function: Function, args: Args, kwargs: Kwargs) -> Value | None:
    """The result of a call that is not walked again; ``None`` where it has to be walked."""
    known = w.record(Walked).calls.get((function.key, w.state.mask))
    if known is None:
        return None
    nodes, w.state.mask = known
    given = (*args, *kwargs.values())
    filling.hand_out(w, given)
    if nodes:
        w.state.trace.append(Scope(nodes))
    return terms.derived(("call", function), list(filter(provenance.is_shared, given)))


def remembered(w: Interp, function: Function, run: Callable[[], Value]) -> Value:
    """What a call gives; on the coarsest rung its operations are kept for the next one, if it was long."""
    if limits.precision().repeats:
        return run()
    mask, begun, steps = w.state.mask, len(w.state.trace), w.steps
    result = run()
    if w.steps - steps > limits.SHORT_CALL:
        w.record(Walked).calls[function.key, mask] = (w.state.trace[begun:], w.state.mask)
    return result
