"""Losses that a program divides by a number by which what averages the gradients divides once more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import (
    WORLD_SIZE,
    Const,
    Effect,
    Either,
    Event,
    External,
    Object,
    Symbol,
    Unknown,
    Value,
    Varying,
    Walk,
    Wrapped,
    terms,
)
from ddplint.rule.code import Site, names_called, words_in
from ddplint.rule.facts import BACKWARD, is_written_out, uniformity
from ddplint.rule.knowledge import load_knowledge
from ddplint_rules.gradients._helpers.averages import losses_of, may_average, may_hold_weights

_STEPS = "gradient_accumulation_steps"
_MOST = 400
"""Terms in a loss that are looked at."""
_GRADIENT = "grad"
_MULTIPLIES = frozenset({"mul", "mul_", "multiply"})
_KEEPS = frozenset({"clamp", "clamp_", "clamp_min", "clip", "detach", "double", "float", "int", "item", "max", "to"})
"""Methods and functions that give a number of samples as it is, or one in the place of none."""


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
    losses, reported = losses_of(walk), set[object]()
    for backward in walk.events:
        by_steps = backward.name == BACKWARD
        loss = backward.argument("loss", 0) if by_steps else backward.receiver
        if loss is None or not backward.by_all or not (by_steps or _is_averaged(backward)):
            continue
        ratio = next((one for one in walk.doing(Effect.RATIO) if _gives(one, backward, loss)), None)
        if ratio is None or ratio.node in reported:
            continue
        if by_steps:
            found = ratio.args[1] == _steps_of(backward.receiver)
        else:
            whole = (
                way.symbol for one in walk.doing(Effect.RATIO) if one.node is ratio.node for way in _ways(one.args[0])
            )
            found = _is_number_of_ranks(ratio) and not _is_told_of_others(walk, backward, losses.union(whole))
        if found:
            reported.add(ratio.node)
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
    """By how many steps between two updates an accelerator divides each loss; None where it was not reported of any."""
    given = accelerator.argument(-1, _STEPS) if isinstance(accelerator, Object) else None
    return None if given == Const(1) else given


def _is_number_of_ranks(ratio: Event) -> bool:
    """Whether it is divided by how many ranks there are, and not by a number that is written there."""
    site = Site(ratio.file, ratio.node)
    written = getattr(ratio.node, "right", None) or getattr(ratio.node, "value", None)
    if ratio.args[1] != Const(WORLD_SIZE) or is_written_out(site, written):
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


def divided_by_all(walk: Walk) -> Iterator[DividedAnew]:
    """Losses over a rank's own samples that are divided by those of all ranks, and averaged over the ranks as well."""
    counted = {event.details["agreed"]: event for event in walk.doing(Effect.COLLECTIVE) if _counts_samples(event)}
    if walk.cut or not counted or _reduces_otherwise(walk):
        return
    losses, reported = losses_of(walk), set[object]()
    for backward in walk.events:
        loss = _differentiated(backward)
        if loss is None or not backward.by_all or not backward.loops:
            continue
        ratio = next((one for one in walk.doing(Effect.RATIO) if _gives_there(one, backward, loss)), None)
        if ratio is None or ratio.node in reported:
            continue
        reduction = _reduction(ratio.args[1], counted)
        if reduction is None or not _is_of_own(ratio.args[0]) or not _goes_on(reduction, ratio):
            continue
        if not _exchanges_more(walk, backward, losses, set(counted.values())):
            reported.add(ratio.node)
            yield DividedAnew(ratio, backward, by_steps=False)


def _counts_samples(event: Event) -> bool:
    """Whether ranks add up, all of them, what each has counted in its own samples."""
    if event.group or not event.by_all or event.details.get("agreed") is None or may_hold_weights(event, frozenset()):
        return False
    if not event.name.endswith(".all_reduce") or not isinstance(event.argument("tensor", 0), Varying):
        return False
    how = event.argument("op", 1)
    return how is None or (isinstance(how, External) and how.name.endswith(".SUM"))


def _reduces_otherwise(walk: Walk) -> bool:
    """Whether a program says itself how gradients are added up, by what they are divided, or has them in its hands."""
    files = {id(frame.file): frame.file for event in walk.events for frame in event.stack}
    said = load_knowledge().quiet("own_reductions")
    return any(
        not said.isdisjoint(names_called(file.module)) or _GRADIENT in words_in(file.module) for file in files.values()
    )


def _differentiated(event: Event) -> Value | None:
    """The loss of a model whose gradients are averaged over all ranks."""
    if event.name == BACKWARD:
        return event.argument("loss", 0)
    model = event.model_behind("ddp", "fsdp", "fully_shard") if event.effect == Effect.BACKWARD else None
    return event.receiver if model is not None and not _has_its_group(model) else None


def _has_its_group(model: Wrapped) -> bool:
    given = (name for name, value in model.kwargs if value != Const(None))
    return any("mesh" in name or "group" in name for name in given)


def _gives_there(ratio: Event, backward: Event, loss: Value) -> bool:
    """Whether what is divided is the loss, as it is differentiated, in the same iteration."""
    made = {one.symbol for one in _ways(ratio.result)}
    near = ratio.order < backward.order and ratio.by_all and backward.loops[-1] in ratio.loops
    return near and any(one.symbol in made for one in _ways(loss))


def _reduction(count: Value, counted: dict[Symbol, Event]) -> Event | None:
    """What added up the number that a loss is divided by, which is nothing but that."""
    what = count.symbol if isinstance(count, Unknown) else None
    while what is not None and what not in counted:
        made = what.whole
        inner: object = None
        if isinstance(made, terms.Method) and made.name in _KEEPS:
            inner = made.receiver
        elif isinstance(made, terms.Call) and made.last_name in _KEEPS and made.args:
            inner = next((one for one in made.args if isinstance(one, Symbol)), None)
        what = inner if isinstance(inner, Symbol) else None
    return counted[what] if what is not None else None


def _is_of_own(measure: Value) -> bool:
    """Whether it is worked out of this rank's samples alone, and nothing is in it by which it was made larger."""
    ways = list(_ways(measure))
    return bool(ways) and all(isinstance(one, Varying) and not _is_larger(one.symbol) for one in ways)


def _is_larger(what: Symbol) -> bool:
    """Whether other ranks are in it, or it may have been multiplied by how many there are."""
    return what.holds_agreed or _is_product(what.whole) or any(_is_by_ranks(one.whole) for one in what.within(_MOST))


def _is_product(made: Symbol) -> bool:
    by_method = isinstance(made, terms.Method) and made.name in _MULTIPLIES
    return by_method or (isinstance(made, terms.Operation) and made.sign == "*")


def _is_by_ranks(made: Symbol) -> bool:
    return _is_product(made) and Const(WORLD_SIZE) in made.parts


def _goes_on(reduction: Event, ratio: Event) -> bool:
    """Whether whoever divides has been through the reduction."""
    return reduction.order < ratio.order and reduction.agrees_with(ratio)


def _exchanges_more(walk: Walk, backward: Event, losses: frozenset[Symbol], counted: set[Event]) -> bool:
    """Whether ranks exchange anything else in the loop before the loss is differentiated, or average gradients."""
    around = [event for event in walk.events if backward.loops[-1] in event.loops and event not in counted]
    early = (one for one in around if one.order < backward.order and one.effect == Effect.COLLECTIVE and one.args)
    return any(may_average(event, losses) for event in around if event is not backward) or any(early)
