"""Random numbers that all ranks draw alike, and that join what they are trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.rule import (
    Const,
    Effect,
    Either,
    Event,
    Object,
    Symbol,
    Unknown,
    Value,
    Varying,
    Walk,
    Wrapped,
    terms,
)
from ddplint.rule.facts import uniformity
from ddplint.rule.knowledge import load_knowledge

_TENSORS = "torch."
_DEPTH = 24
_NUMBERS = ("item", "tolist")
"""What makes numbers of Python of a tensor, by which the program decides: ranks must decide alike."""
_SPLITS = ("context_parallel", "parallelize_module")
"""What has several ranks work at one sample."""


@dataclass(frozen=True, eq=False)
class SameDraw:
    """``draw`` gives all ranks the same, for ``seed`` set their generators alike; ``used`` takes it for the loss."""

    draw: Event
    seed: Event
    used: Event


def same_draws(walk: Walk) -> Iterator[SameDraw]:
    """What all ranks draw alike in a loop that trains a data-parallel model, where it comes to be differentiated."""
    steps = [event for event in walk.events if _trains(event)]
    seeds = walk.doing(Effect.SEED)
    if not steps or not seeds or any(event.name.endswith(_SPLITS) for event in walk.events):
        return
    apart = {id(event.node) for event in walk.events if _is_draw(event) and not isinstance(event.result, Unknown)}
    for draw in walk.events:
        if not _is_draw(draw) or id(draw.node) in apart or not isinstance(draw.result, Unknown):
            continue
        begun = max((one.order for one in walk.doing(Effect.LAUNCH) if _is_fresh(one, draw)), default=-1)
        own = (one for one in reversed(seeds) if begun < one.order < draw.order and one.details["alike"])
        seed = next(own, None)
        loop = next((loop for step in steps for loop in step.loops if loop in draw.loops), None)
        if seed is None or loop is None or _may_seed_again(walk, seed, draw):
            continue
        used = next((step for step in walk.events if loop in step.loops and _uses(step, draw.result.symbol)), None)
        if used is not None:
            yield SameDraw(draw, seed, used)


def restored(walk: Walk) -> Iterator[SameDraw]:
    """What ranks that were seeded apart draw alike, once the state that one of them had is restored on all."""
    steps, seeds = [event for event in walk.events if _trains(event)], walk.doing(Effect.SEED)
    apart = next((one.order for one in seeds if not one.details["alike"] and one.by_all), None)
    if apart is None or not steps or any(event.name.endswith(_SPLITS) for event in walk.events):
        return
    for seed in seeds:
        if seed.order > apart and seed.details["alike"] and _is_restored(seed):
            found = next((one for draw in walk.events if (one := _drawn_from(walk, seed, draw, steps))), None)
            if found is not None:
                yield found


def _is_restored(seed: Event) -> bool:
    """Whether generators get a state out of a file of which every rank reads the same."""
    kept = any(isinstance(one.whole, terms.Field) for value in seed.args for one in _symbols(value, _DEPTH))
    return kept and seed.name in load_knowledge().quiet("restored_states")


def _drawn_from(walk: Walk, seed: Event, draw: Event, steps: Sequence[Event]) -> SameDraw | None:
    """What all ranks draw, on the way on which they got one state, in a loop that trains."""
    if draw.order < seed.order or not _is_draw(draw):
        return None
    loop = next((loop for step in steps for loop in step.loops if loop in draw.loops), None)
    alike = [one.symbol for one in _ways(draw.result) if isinstance(one, Unknown)]
    if loop is None or not alike:
        return None
    inside = (step for step in walk.events if loop in step.loops and any(_uses(step, one) for one in alike))
    used = next(inside, None)
    return None if used is None else SameDraw(draw, seed, used)


def _ways(value: Value | None) -> Iterator[Value]:
    if isinstance(value, Either):
        yield from _ways(value.yes)
        yield from _ways(value.no)
    elif value is not None:
        yield value


def _is_fresh(launch: Event, draw: Event) -> bool:
    """Whether the ranks are new processes, in which no generator is in the state that the first one gave its own."""
    return launch.order < draw.order and launch.name.endswith(".spawn")


def _is_draw(event: Event) -> bool:
    """Whether all ranks draw a tensor by torch's generator, that of the process."""
    if event.given("generator") is not None:
        return False
    return event.effect == Effect.LOCAL_VALUE and event.name.startswith(_TENSORS) and event.ranks == event.everyone


def _trains(event: Event) -> bool:
    """Whether all ranks compute gradients of a model that each has whole, or for each its own batch."""
    if event.ranks != event.everyone or event.effect not in (Effect.BACKWARD, Effect.COLLECTIVE):
        return False
    if event.effect == Effect.COLLECTIVE:
        return event.name.endswith("Accelerator.backward")
    model = event.model_behind("ddp", "fsdp", "prepare", "fully_shard")
    return model is not None and not _has_mesh(model)


def _has_mesh(model: Wrapped) -> bool:
    return any("mesh" in name and value != Const(None) for name, value in model.kwargs)


def _may_seed_again(walk: Walk, seed: Event, draw: Event) -> bool:
    """Whether a call that nobody could follow was handed the seed, or what holds it, before the draw."""
    names = {part for value in seed.args for part in _symbols(value, _DEPTH)}
    for event in walk.doing(Effect.OPAQUE):
        if event.order > draw.order:
            continue
        given = {part for value in event.args for part in _symbols(value, _DEPTH)}
        if event.ranks != event.everyone or given & names or any(value in seed.args for value in event.args):
            return True
    return False


def _uses(event: Event, drawn: Symbol) -> bool:
    """Whether a forward pass with gradients, or the loss, is computed from what was drawn."""
    if event.effect == Effect.FORWARD and not event.details.get("no_grad"):
        return any(drawn in _symbols(value, _DEPTH) for value in (*event.args, *event.kwargs.values()))
    if not _trains(event):
        return False
    losses = event.args if event.effect == Effect.COLLECTIVE else (event.receiver,)
    return any(drawn in _symbols(value, _DEPTH) for value in losses)


def _symbols(value: object, depth: int) -> set[Symbol]:
    """The terms that a value is made of."""
    found: set[Symbol] = set()
    waiting = [(value, depth)]
    while waiting:
        one, left = waiting.pop()
        term = one.symbol if isinstance(one, (Unknown, Varying)) else one
        if isinstance(term, Symbol):
            if term in found:
                continue
            found.add(term)
            decides = term.whole.head == "method" and getattr(term.whole, "name", "") in _NUMBERS
            parts: tuple[object, ...] = () if decides else term.whole.parts
        else:
            parts = _parts(one)
        waiting += [(part, left - 1) for part in parts if left]
    return found


def _parts(value: object) -> tuple[object, ...]:
    given = (part for _, part in value.kwargs) if isinstance(value, Object) else ()
    return (*uniformity.inner(value), *given)
