"""The fixes of guarded operations put together: what is behind one guard is repaired at once."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.fixing.builders import CannotBuild
from ddplint.rule import Divergence, Event, Fix, Safety, Walk
from ddplint_rules import _parting as parting
from ddplint_rules._moving import Answer
from ddplint_rules._unwrapping import Unwrapping

__all__ = ["unwrapped_inside"]


def unwrapped_inside(divergence: Divergence, walks: Sequence[Walk]) -> Answer:
    """Let the forward passes behind the guard of a divergence go to the module inside the wrapper."""
    event = divergence.sides[0].event
    assert event is not None
    inside = parting.beside(divergence, walks)
    if event.effect == "construct":
        return Answer(no_fix="wrap the model on every rank, outside the guard")
    if event.effect == "backward" or any(_reduces(one) for one in inside):
        return Answer(
            no_fix="a backward pass follows: run it on every rank, or on a copy of the plain module (copy.deepcopy(model.module))"
        )
    if event.effect != "forward" or event.details.get("engine"):
        return Answer(no_fix=f"let every rank come to the {event.label}")
    forwards = [one for one in inside if one.effect == "forward"]
    work = Unwrapping(walks)
    try:
        for one in [event, *forwards]:
            work.add(one)
    except CannotBuild as reason:
        return Answer(no_fix=str(reason))
    quiet = all(one.details.get("no_grad") for one in [event, *forwards])
    safety = Safety.SAFE if quiet else Safety.UNSAFE
    return Answer(Fix("Call the module inside the wrapper: it does not communicate", safety, tuple(work.edits)))


def _reduces(event: Event) -> bool:
    return event.effect == "backward" and event.details.get("wrapped") is not None
