"""What is gathered without gradients, and then differentiated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import (
    Container,
    Effect,
    Event,
    Symbol,
    Unknown,
    Value,
    Varying,
    Walk,
    terms,
)
from ddplint.rule.code import Site, dotted, nodes_of
from ddplint.rule.facts import BACKWARD, uniformity
from ddplint.rule.knowledge import load_knowledge
from ddplint_rules.gradients._helpers.passes import is_ddp

_LISTS = "torch.distributed.all_gather"
_DEPTH = 24
_WITHOUT = ("no_grad", "inference_mode", "set_grad_enabled")
_CUTS = ("detach", "data")


@dataclass(frozen=True, eq=False)
class Lost:
    """``gather`` gives what ``backward`` is computed from; nothing puts this rank's own part back into it."""

    gather: Event
    backward: Event


def lost(walk: Walk) -> Iterator[Lost]:
    """The gathers of outputs with gradients of which, as they came, the loss is made."""
    gathers = {made: event for event in walk.doing(Effect.COLLECTIVE) if (made := _made(event)) is not None}
    for backward in walk.events if gathers else ():
        loss = _loss(backward)
        if loss is None or backward.ranks != backward.everyone:
            continue
        for part in _gathered(loss):
            gather = gathers.get(part)
            if gather is not None and gather.order < backward.order:
                yield Lost(gather, backward)


def _loss(event: Event) -> Value | None:
    """What is differentiated, for a model of which each rank has a copy; not from a gradient that the program made."""
    if event.effect == Effect.BACKWARD:
        by_hand = event.given("gradient", 0) is not None
        return event.receiver if is_ddp(event) and not by_hand else None
    return event.argument("loss", 0) if event.name == BACKWARD else None


def _made(event: Event) -> Container | Symbol | None:
    """What a gather of outputs with gradients fills, or gives: without a history."""
    if event.name == _LISTS:
        filled = event.argument("tensor_list", 0)
        return filled if isinstance(filled, Container) and _has_gradients(event, 1) else None
    if event.api is None or event.name not in load_knowledge().quiet("gathers"):
        return None
    place = 0 if event.api.uniform == "return" else 1  # behind what it puts the result into
    return event.details["agreed"] if _has_gradients(event, place) and not _is_written_over(event) else None


def _has_gradients(event: Event, place: int) -> bool:
    """Whether what is gathered comes out of a wrapped model, and keeps its graph up to there."""
    given = next((found for name in _GIVEN if (found := event.argument(name, place)) is not None), None)
    if not isinstance(given, (Unknown, Varying)):
        return False
    return given.source is not None and not is_cut(event) and not _is_without(event)


_GIVEN = ("tensor", "input_tensor")


def _is_written_over(event: Event) -> bool:
    """Whether something is put into a part of the tensor that was filled: this rank's own, say."""
    name = dotted(filled) if (filled := event.given("output_tensor", 0)) is not None else ""
    targets = nodes_of(event.file.module, cst.AssignTarget) if name else ()
    return any(dotted(one.value) == name for target in targets for one in nodes_of(target, cst.Subscript))


def is_cut(event: Event) -> bool:
    """Whether what is gathered was cut off from its graph, here or by a caller."""
    for frame in event.stack:
        site = Site(frame.file, frame.node)
        args = [arg.value for arg in frame.call.args] if frame.call is not None else []
        written = [*args, *(value for arg in args if isinstance(arg, cst.Name) for value in site.values_of(arg))]
        names = (node.attr.value for one in written for node in nodes_of(one, cst.Attribute))
        if any(name in _CUTS for name in names):
            return True
    return False


def _is_without(event: Event) -> bool:
    """Whether gradients are off, in the function of the call or in one that called it; or they are its own business."""
    for frame in event.stack:
        site = Site(frame.file, frame.node)
        for step in site.tree.ancestors(frame.node):
            written: list[cst.CSTNode] = []
            if isinstance(step, cst.With):
                written = [item.item for item in step.items]
            elif isinstance(step, cst.FunctionDef):
                written = [one.decorator for one in step.decorators]
            elif isinstance(step, cst.ClassDef):
                written = [base.value for base in step.bases]
            if any(_says_without(node) for node in written):
                return True
    return False


def _says_without(node: cst.CSTNode) -> bool:
    last = {dotted(part).rpartition(".")[2] for part in nodes_of(node, cst.Name, cst.Attribute)}
    return bool(last & {*_WITHOUT, "Function"})


def _gathered(value: Value | None) -> Iterator[Container | Symbol]:
    """The lists and the results of meetings that a value is computed from; of what is cut out, the lists alone."""
    seen: set[int] = set()
    waiting: list[tuple[object, int]] = [(value, _DEPTH)]
    while waiting:
        one, left = waiting.pop()
        if isinstance(one, Container):
            yield one
        term = one.symbol if isinstance(one, (Unknown, Varying)) else one
        if isinstance(term, Symbol):
            if id(term) not in seen and left:
                seen.add(id(term))
                whole = term.whole
                if isinstance(whole, terms.Agreed):
                    yield term
                cut = isinstance(whole, (terms.Slice, terms.Item))
                waiting += [(part, left - 1) for part in whole.parts if not (cut and _is_agreed(part))]
        elif left:
            waiting += [(part, left - 1) for part in uniformity.inner(one)]


def _is_agreed(part: object) -> bool:
    return isinstance(part, Symbol) and isinstance(part.whole, terms.Agreed)
