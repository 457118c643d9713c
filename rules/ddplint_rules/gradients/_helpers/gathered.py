"""What is gathered without gradients, and then differentiated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Container, Effect, Either, Event, Object, PerRank, Symbol, Tuple, Unknown, Value, Varying, Walk
from ddplint.rule.code import Site, dotted, nodes_of
from ddplint_rules.gradients._helpers.passes import is_ddp

__all__ = ["Lost", "lost"]

_GATHER = "torch.distributed.all_gather"
_DEPTH = 24
_WITHOUT = ("no_grad", "inference_mode", "set_grad_enabled")
_CUTS = ("detach", "data")


@dataclass(frozen=True, eq=False)
class Lost:
    """``gather`` fills a list that ``backward`` is computed from; nothing puts this rank's own part back into it."""

    gather: Event
    backward: Event


def lost(walk: Walk) -> Iterator[Lost]:
    """The gathers of outputs with gradients whose list, as it came, is part of the loss."""
    gathers = {
        event.args[0]: event
        for event in walk.events
        if event.effect == Effect.COLLECTIVE and event.name == _GATHER and _has_gradients(event)
    }
    reported: set[int] = set()
    for backward in walk.events if gathers else ():
        if backward.effect != Effect.BACKWARD or not is_ddp(backward) or backward.ranks != backward.everyone:
            continue
        for part in _lists(backward.receiver):
            gather = gathers.get(part)
            if gather is not None and gather.order < backward.order and id(gather.node) not in reported:
                reported.add(id(gather.node))
                yield Lost(gather, backward)


def _has_gradients(event: Event) -> bool:
    """Whether what is gathered comes out of a wrapped model, and keeps its graph up to there."""
    given = event.args[1] if len(event.args) > 1 else event.kwargs.get("tensor")
    if not event.args or not isinstance(event.args[0], Container) or not isinstance(given, (Unknown, Varying)):
        return False
    return given.source is not None and not _is_cut(event) and not _is_without(event)


def _is_cut(event: Event) -> bool:
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


def _lists(value: Value | None) -> Iterator[Container]:
    """The lists that a value is computed from."""
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
                waiting += [(part, left - 1) for part in term.whole.parts]
        elif left:
            waiting += [(part, left - 1) for part in _parts(one)]


def _parts(value: object) -> tuple[object, ...]:
    if isinstance(value, Either):
        return value.yes, value.no
    if isinstance(value, PerRank):
        return value.values
    if isinstance(value, Tuple):
        return value.items
    return value.args if isinstance(value, Object) else ()
