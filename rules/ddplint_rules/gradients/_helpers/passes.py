"""What the rules about gradients share: which backward passes reduce, and which come from past the wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Event, LoopFrame, Object, Symbol, Walk, Wrapped
from ddplint.rule.code import Site, names_called, nodes_of, words_in
from ddplint.rule.facts import agree, is_made_by_one_of_several, meet_in_a_round
from ddplint_rules.gradients._helpers.averages import losses_of, may_average, may_hold_weights


@dataclass(frozen=True, eq=False)
class Bypass:
    """``forward`` computes past the wrapper what ``backward`` then differentiates, on all ranks, in the same loop."""

    forward: Event
    backward: Event


def is_ddp(event: Event) -> bool:
    """Whether an event belongs to a model behind DistributedDataParallel."""
    return event.model_behind("ddp") is not None


def is_fully_sharded(event: Event) -> bool:
    """Whether an event belongs to a model behind ``fully_shard``."""
    return event.model_behind("fully_shard") is not None


def bypasses(walk: Walk) -> Iterator[Bypass]:
    """Training loops whose only forward passes with gradients go past the wrapper."""
    if walk.cut or walk.doing(Effect.ARMS_REDUCTION):
        return  # the wrapper may be called where nobody looked, or its part
    made = walk.doing(Effect.CONSTRUCT)
    wrapped = [event.path for event in made if event.makes("ddp")] or [x.path for x in made]
    losses = losses_of(walk)
    for backward in walk.events:
        if not _is_backward(backward) or not backward.loops or not _alone(backward):
            continue
        loop = backward.loops[-1]
        if any(loop in event.loops and _exchanges(event, losses) for event in walk.doing(Effect.COLLECTIVE)):
            continue
        for event in walk.events:
            if event.order >= backward.order or not _is_past(event, loop):
                continue
            if _forwards(walk, loop, event) or (not wrapped and _is_of_both(walk, event)):
                continue
            if not wrapped or any(agree(path, event.path) and agree(path, backward.path) for path in wrapped):
                yield Bypass(event, backward)


def never_run(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Wrappers of what has no forward, with a backward pass whose gradients the ranks then step with, each its own.

    Only where there is no other wrapper: that one may hold the same parameters, and reduce them.
    """
    made = [event for event in walk.doing(Effect.CONSTRUCT) if event.makes("ddp", "fsdp", "prepare")]
    idle = [event for event in made if event.details.get("never_run")]
    alone = [one for one in idle if all(other in idle for other in made if other.agrees_with(one))]
    for backward in walk.events if alone and not walk.cut else ():
        if not _is_backward(backward) or not backward.loops or not backward.by_all:
            continue
        before = next((one for one in alone if one.order < backward.order and one.agrees_with(backward)), None)
        if before is not None and not _is_averaged(walk, backward.loops[-1]) and steps_after(backward):
            yield before, backward
            return


def _alone(backward: Event) -> bool:
    own = all(getattr(value, "source", None) is None for value in backward.args)
    return backward.by_all and backward.details.get("wrapped") is None and own


def _is_backward(event: Event) -> bool:
    """A backward pass, or a library's function that runs one."""
    return event.effect == Effect.BACKWARD or (
        event.effect == Effect.COLLECTIVE and event.name.endswith("Accelerator.backward")
    )


def _is_past(event: Event, loop: LoopFrame) -> bool:
    if event.effect != Effect.INNER_FORWARD or event.details["no_grad"] or loop not in event.loops:
        return False
    if not is_ddp(event) and not _is_prepared(event):
        return False
    if isinstance(next(event.file.ancestors(event.node), None), cst.Expr):
        return False  # a method whose result nobody takes
    data = [value for value in (*event.args, *event.kwargs.values()) if not isinstance(value, Const)]
    return bool(data) and event.by_all and not any(map(is_made_by_one_of_several, data))


def _is_prepared(event: Event) -> bool:
    """Whether it is the forward pass of a model that a library wraps as it was launched."""
    return event.model_behind("prepare") is not None and event.label == "forward"


def _forwards(walk: Walk, loop: LoopFrame, past: Event) -> bool:
    """Whether a wrapped forward pass with gradients runs in the loop, in a run that passes the wrapper by elsewhere."""
    within = (event for event in walk.events if loop in event.loops and event.agrees_with(past))
    return any(
        (event.effect == Effect.FORWARD and not event.details.get("no_grad"))
        or (event.effect == Effect.OPAQUE and any(isinstance(value, Wrapped) for value in event.args))
        for event in within
    )


def _is_of_both(walk: Walk, past: Event) -> bool:
    """Whether the same call is one of the wrapper on another way: a run without one has none to pass by."""
    return any(event.effect == Effect.FORWARD and event.node is past.node for event in walk.events)


def steps_after(backward: Event) -> bool:
    """Whether the weights are updated: gradients may also be looked at (saliency maps), and then nobody misses any."""
    loop = backward.loops[-1]
    code: list[cst.CSTNode] = [loop.node]
    functions = [frame.function for frame in backward.stack]
    start = functions.index(loop.function) + 1 if loop.function in functions else len(functions) - 1
    for frame in backward.stack[start:]:
        around = (step for step in frame.file.ancestors(frame.node) if isinstance(step, cst.FunctionDef))
        code += around
    return any("step" in name for part in code for name in (*names_called(part), *_names_defined(part)))


def _names_defined(code: cst.CSTNode) -> Iterator[str]:
    return (function.name.value for function in nodes_of(code, cst.FunctionDef))


def _is_averaged(walk: Walk, loop: LoopFrame) -> bool:
    """Whether a program may average gradients or weights by itself in a loop."""
    losses, own = losses_of(walk), (event for event in walk.events if not _is_backward(event))
    return any(loop in event.loops and may_average(event, losses) for event in own)


def _exchanges(event: Event, losses: frozenset[Symbol]) -> bool:
    """Whether gradients may be reduced by hand."""
    return not _is_backward(event) and may_hold_weights(event, losses)


def unsynchronised_steps(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Updates of the weights whose last backward pass before them ran under ``no_sync``: (backward, step)."""
    before: list[Event] = []
    seen: set[int] = set()
    for event in walk.events:
        if event.effect == Effect.BACKWARD and (is_ddp(event) or is_fully_sharded(event)):
            before.append(event)
        elif event.effect == Effect.COLLECTIVE and event.label.startswith(("all_reduce", "reduce")):
            before.clear()
        elif event.effect == Effect.OPTIMIZER_STEP:
            if id(event.node) not in seen and event.by_all:
                seen.add(id(event.node))
                local = _unsynchronised(before, event)
                if local is not None:
                    yield local, event
            before.clear()


def clipped_unreduced(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Gradients that are clipped while they pile up on each rank, before they are reduced: (backward, clip)."""
    before: list[Event] = []
    seen: set[int] = set()
    for event in walk.events:
        if _is_backward(event) and (is_ddp(event) or event.effect == Effect.COLLECTIVE):
            before.append(event)
        elif event.effect == Effect.OPTIMIZER_STEP:
            before.clear()
        elif id(event.node) not in seen and event.by_all and before:
            local = _piling_up(before[-1], event)
            local = local or (_unsynchronised(before, event) if event.effect == Effect.CLIP else None)
            if local is not None:
                seen.add(id(event.node))
                yield local, event


def _piling_up(backward: Event, clip: Event) -> Event | None:
    """The backward pass of accelerate whose gradients are clipped in each round, also where it did not reduce them."""
    clips = clip.effect == Effect.CLIP or clip.name.endswith("Accelerator.clip_grad_norm_")
    if not clips or backward.effect == Effect.BACKWARD or clip.loops != backward.loops:
        return None
    accelerator = backward.receiver
    steps = accelerator.argument(-1, "gradient_accumulation_steps") if isinstance(accelerator, Object) else None
    if steps in (None, Const(1)) or not set(clip.path) <= set(backward.path):
        return None
    around = list(clip.file.ancestors(clip.node))
    return backward if _is_under(Site(clip.file, clip.node), around, "accumulate") else None


def _unsynchronised(before: list[Event], step: Event) -> Event | None:
    """A backward pass without reduction that certainly is the last one before the step on some path."""
    near = [event for event in before if event.loops[: len(step.loops)] == step.loops and _fits(event, step)]
    for event in near:
        if not event.details.get("no_sync") or _unrelated(event, step) or _by_number(event, step):
            continue
        if _steps_alone(step):
            continue
        if not any(_fits(other, event) for other in near if other.order > event.order):
            return event
    return None


def _steps_alone(step: Event) -> bool:
    """Whether a block of ``no_sync`` holds whole rounds, steps and all: each rank trains by itself, and means to.

    Local SGD: what the ranks have come to is averaged afterwards.
    """
    site, around = Site(step.file, step.node), list(step.file.ancestors(step.node))
    loops = [index for index, node in enumerate(around) if isinstance(node, (cst.For, cst.While))]
    return bool(loops) and _is_under(site, around[loops[0] :], "no_sync")


def _is_under(site: Site, around: list[cst.CSTNode], word: str) -> bool:
    """Whether one of some blocks is entered by a call of this name."""
    for block in around:
        for item in block.items if isinstance(block, cst.With) else ():
            said = [item.item, *site.values_of(item.item)]
            if any(word in words_in(one) for one in said):
                return True
    return False


def _by_number(event: Event, step: Event) -> bool:
    """Whether a loop of its own around a backward pass, before the step, decides by the number of the iteration."""
    if len(event.loops) <= len(step.loops):
        return False
    return any(what.counters for what in event.path if what not in step.path)


def _fits(one: Event, other: Event) -> bool:
    """Whether both may happen in the same iteration."""
    return all(other.path.get(what, known) == known for what, known in one.path.items())


def _unrelated(one: Event, other: Event) -> bool:
    """Whether each hangs on a condition of its own, so that nobody knows whether both ever happen in one round."""
    if (meet := meet_in_a_round(one.path, other.path)) is not None:
        return not meet
    return bool(set(one.path) - set(other.path)) and bool(set(other.path) - set(one.path))
