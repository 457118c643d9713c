"""What all ranks have summed up, and each divides by the number of its own samples alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Either, Event, External, Symbol, Unknown, Value, Varying, Walk, terms
from ddplint.rule.code import Site
from ddplint.rule.facts import uniformity

_MOST = 400
"""Terms in a sum that are looked at."""


@dataclass(frozen=True, eq=False)
class SumOverShare:
    """``ratio`` divides what ``reduction`` has summed up over all ranks by what one rank has counted."""

    ratio: Event
    reduction: Event


def sums_over_shares(walk: Walk) -> Iterator[SumOverShare]:
    """Ratios of a sum of all ranks and of a rank's own count, both added up in one loop over its samples."""
    if walk.cut:
        return
    ratios = list(walk.doing(Effect.RATIO))
    for ratio in ratios:
        measure, count = ratio.args
        if not isinstance(measure, Unknown) or not _is_agreed(measure.symbol) or not walk.run_together(ratio):
            continue
        reduction = _reduction(walk, ratio, measure)
        if reduction is None or not _added_together(reduction.args[0], count):
            continue
        if not uniformity.names_ranks(Site(ratio.file, ratio.node).statement) and not _goes_on(ratio, ratios):
            yield SumOverShare(ratio, reduction)


def _is_agreed(what: object) -> bool:
    """Whether a value is what an operation has brought to all ranks, or that as a number of Python."""
    made = what.whole if isinstance(what, Symbol) else None
    if isinstance(made, terms.Method):
        return made.name == "item" and _is_agreed(made.receiver)
    return made is not None and made.is_agreement


def _reduction(walk: Walk, ratio: Event, measure: Unknown) -> Event | None:
    """The sum over all ranks that is divided, where it is just one."""
    agreed = {one for one in measure.symbol.within(_MOST) if one.whole.is_agreement}
    found = [
        one
        for one in walk.doing(Effect.COLLECTIVE)
        if one.order < ratio.order and one.details.get("agreed") in agreed and one.by_all and not one.group
    ]
    if len(agreed) != 1 or not found or not found[-1].name.endswith("all_reduce"):
        return None
    return found[-1] if _is_a_sum(found[-1]) and found[-1].args else None


def _added_together(total: Value, count: Value) -> bool:
    """Whether both are sums over the same samples, as each rank has its own."""
    first, second = _samples(total), _samples(count)
    return bool(first) and not first.isdisjoint(second)


def _samples(value: Value) -> set[Symbol]:
    """The elements of loops that a rank has added something up from; none where it multiplies, by the ranks perhaps."""
    if isinstance(value, Either):
        return _samples(value.yes) | _samples(value.no)
    if not isinstance(value, (Unknown, Varying)) or value.symbol.holds_agreed or not _adds(value.symbol):
        return set()
    inside = list(value.symbol.within(_MOST))
    if any(isinstance(one.whole, terms.Operation) and one.whole.sign == "*" for one in inside):
        return set()
    return {one for one in inside if one.is_fresh("element", "batch")}


def _adds(what: object) -> bool:
    made = what.whole if isinstance(what, Symbol) else None
    if isinstance(made, terms.Joined):
        return any(map(_adds, made.ways))
    if isinstance(made, terms.Method):
        return made.name == "item" and _adds(made.receiver)
    return isinstance(made, terms.Operation) and made.sign == "+"


def _goes_on(ratio: Event, ratios: list[Event]) -> bool:
    """Whether what is divided here is divided once more: by the number of ranks, perhaps."""
    made = ratio.result
    if not isinstance(made, (Unknown, Varying, Either)):
        return False
    own = {one.symbol for one in _ways(made) if isinstance(one, (Unknown, Varying))}
    later = (one.args[0] for one in ratios if one.order > ratio.order)
    return any(
        not own.isdisjoint(way.symbol.within(_MOST))
        for value in later
        for way in _ways(value)
        if isinstance(way, (Unknown, Varying))
    )


def _ways(value: Value) -> Iterator[Value]:
    if isinstance(value, Either):
        yield from _ways(value.yes)
        yield from _ways(value.no)
    else:
        yield value


def sums_again(walk: Walk) -> Iterator[Event]:
    """Sums over all ranks of what such a sum has gone into before, whole, with this rank's next samples added."""
    before: dict[object, list[Event]] = {}
    for event in walk.doing(Effect.COLLECTIVE):
        if not event.name.endswith("all_reduce") or event.group or not event.by_all or not event.args:
            continue
        again = any(_goes_into(one, event.args[0]) for one in before.get(event.node, ()))
        before.setdefault(event.node, []).append(event)
        if again and _is_a_sum(event) and walk.run_together(event):
            yield event


def _is_a_sum(event: Event) -> bool:
    how = event.argument("op", 1)
    return how is None or (isinstance(how, External) and how.name.endswith(".SUM"))


def _goes_into(earlier: Event, total: Value) -> bool:
    """Whether what a sum gave stands in another total as it is, beside what a rank has counted since."""
    whole = total.symbol.whole if isinstance(total, (Unknown, Varying)) else None
    if not isinstance(whole, terms.Operation) or whole.sign != "+":
        return False
    summed = [one for one in whole.operands if isinstance(one, Symbol) and one == earlier.details.get("agreed")]
    rest = [one for one in whole.operands if isinstance(one, Symbol) and one not in summed]
    return bool(summed) and any(any(part.is_fresh("element", "batch") for part in one.within(_MOST)) for one in rest)
