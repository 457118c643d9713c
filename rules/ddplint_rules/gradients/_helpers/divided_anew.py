"""Losses that a program divides by a number by which what averages the gradients divides once more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Either, Event, Object, Symbol, Unknown, Value, Varying, Walk, terms
from ddplint.rule.code import Site
from ddplint.rule.facts import BACKWARD, is_written_out, uniformity
from ddplint_rules.gradients._helpers.averages import losses_of, may_average

_RANKS = 4
_STEPS = "gradient_accumulation_steps"


@dataclass(frozen=True, eq=False)
class DividedAnew:
    """``ratio`` divides the loss that ``backward`` differentiates; ``by_steps``: by those between two updates."""

    ratio: Event
    backward: Event
    by_steps: bool


def divided_anew(walk: Walk) -> Iterator[DividedAnew]:
    """Losses that are divided by the ranks behind a wrapper, or by the steps that accelerate divides by, too."""
    if walk.cut:
        return
    losses, told = losses_of(walk), set[object]()
    for backward in walk.events:
        by_steps = backward.name == BACKWARD
        loss = backward.argument("loss", 0) if by_steps else backward.receiver
        if loss is None or not backward.by_all or not (by_steps or _is_averaged(backward)):
            continue
        ratio = next((one for one in walk.doing(Effect.RATIO) if _gives(one, backward, loss)), None)
        if ratio is None or ratio.node in told:
            continue
        if by_steps:
            found = ratio.args[1] == _steps_of(backward.receiver)
        else:
            whole = (
                way.symbol for one in walk.doing(Effect.RATIO) if one.node is ratio.node for way in _ways(one.args[0])
            )
            found = _is_number_of_ranks(ratio) and not _is_told_of_others(walk, backward, losses.union(whole))
        if found:
            told.add(ratio.node)
            yield DividedAnew(ratio, backward, by_steps)


def _is_averaged(backward: Event) -> bool:
    """Whether the gradients of a backward pass are those that a wrapper averages over the ranks."""
    return backward.effect == Effect.BACKWARD and backward.model_behind("ddp", "fsdp", "fully_shard") is not None


def _gives(ratio: Event, backward: Event, loss: Value) -> bool:
    """Whether what is divided is the loss, as it is differentiated."""
    made = {one.symbol for one in _ways(ratio.result)}
    return ratio.order < backward.order and ratio.by_all and any(one.symbol in made for one in _ways(loss))


def _ways(value: Value | None) -> Iterator[Unknown | Varying]:
    if isinstance(value, Either):
        yield from _ways(value.yes)
        yield from _ways(value.no)
    elif isinstance(value, (Unknown, Varying)):
        yield value


def _steps_of(accelerator: Value | None) -> Value | None:
    """By how many steps between two updates an accelerator divides each loss; None where it was not told of any."""
    given = accelerator.argument(-1, _STEPS) if isinstance(accelerator, Object) else None
    return None if given == Const(1) else given


def _is_number_of_ranks(ratio: Event) -> bool:
    """Whether it is divided by how many ranks there are, and not by a number that is written there."""
    site = Site(ratio.file, ratio.node)
    written = getattr(ratio.node, "right", None) or getattr(ratio.node, "value", None)
    if ratio.args[1] != Const(_RANKS) or is_written_out(site, written):
        return False
    return uniformity.names_ranks(site.statement) and not _is_a_sum(ratio.args[0])


def _is_a_sum(measure: Value) -> bool:
    """Whether it may be more than the loss of this rank's own batch: other ranks, or a factor, are in it."""
    return any(one.symbol.holds_agreed or _multiplies(one.symbol) for one in _ways(measure))


def _multiplies(what: Symbol) -> bool:
    made = what.whole
    return isinstance(made, terms.Operation) and made.sign == "*"


def _is_told_of_others(walk: Walk, backward: Event, losses: frozenset[Symbol]) -> bool:
    """Whether ranks exchange anything in the loop before the loss is differentiated, or average gradients."""
    around = [event for event in walk.events if set(backward.loops[-1:]) & set(event.loops)]
    for event in around:
        early = event.order < backward.order and event.effect in (Effect.COLLECTIVE, Effect.OPAQUE)
        if may_average(event, losses) or (early and event.effect == Effect.COLLECTIVE and event.args):
            return True
    return False
