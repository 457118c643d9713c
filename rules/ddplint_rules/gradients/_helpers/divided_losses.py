"""Losses that are divided by the number of ranks before they are differentiated, although the wrapper divides, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import WORLD_SIZE, Const, Effect, Either, Event, External, Symbol, Unknown, Value, Varying, Walk
from ddplint.rule.code import Site
from ddplint.rule.facts import BACKWARD, is_written_out, uniformity

_MOST = 200
"""Terms in a loss that are looked at."""


@dataclass(frozen=True, eq=False)
class Divided:
    """``ratio`` divides what ``reduction`` summed up over the ranks, in place, and ``backward`` differentiates it."""

    reduction: Event
    ratio: Event
    backward: Event


def divided(walk: Walk) -> Iterator[Divided]:
    """Losses of a wrapped model that all_reduce writes into, that are divided by the ranks, and differentiated."""
    losses = [(one, loss) for one in walk.events if (loss := _loss(one)) is not None and one.by_all]
    sums = {one.details["agreed"]: one for one in walk.doing(Effect.COLLECTIVE) if _is_sum_of_a_loss(one)}
    for ratio in walk.doing(Effect.RATIO) if losses and sums else ():
        measure, count = ratio.args
        reduction = sums.get(measure.symbol) if isinstance(measure, Unknown) else None
        if (
            reduction is None
            or count != Const(WORLD_SIZE)
            or _is_a_literal(ratio)
            or not isinstance(ratio.result, Unknown)
        ):
            continue
        made = ratio.result.symbol
        used = (one for one, loss in losses if one.order > ratio.order and _holds(loss, made))
        backward = next(used, None)
        if backward is not None:
            yield Divided(reduction, ratio, backward)


def _loss(event: Event) -> Value | None:
    """What is differentiated."""
    if event.effect == Effect.BACKWARD:
        return event.receiver
    return event.argument("loss", 0) if event.name == BACKWARD else None


def _is_sum_of_a_loss(event: Event) -> bool:
    """Whether a value with gradients of a model that each rank has whole is summed up over all ranks, in place."""
    if not event.name.endswith(".all_reduce") or event.group or not event.by_all or event.details.get("agreed") is None:
        return False
    how = event.argument("op", 1)
    if how is not None and not (isinstance(how, External) and how.name.endswith(".SUM")):
        return False
    model = next((one.source for one in _ways(event.argument("tensor", 0)) if one.source is not None), None)
    return model is not None and model.api.wraps == "ddp" and not _is_cut(event)


def _is_cut(event: Event) -> bool:
    from ddplint_rules.gradients._helpers.gathered import is_cut

    return is_cut(event)


def _ways(value: Value | None) -> Iterator[Unknown | Varying]:
    if isinstance(value, Either):
        yield from _ways(value.yes)
        yield from _ways(value.no)
    elif isinstance(value, (Unknown, Varying)):
        yield value


def _is_a_literal(ratio: Event) -> bool:
    """Whether the number is written in the program, as that of steps between two updates may be."""
    site = Site(ratio.file, ratio.node)
    written = getattr(ratio.node, "right", None) or getattr(ratio.node, "value", None)
    return is_written_out(site, written) or not uniformity.names_ranks(site.statement)


def _holds(loss: Value, made: Symbol) -> bool:
    return any(made in way.symbol.within(_MOST) for way in _ways(loss))
