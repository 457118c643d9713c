"""Measures of one rank's share that stand for those of all: divided by the number of all samples, or compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import (
    Const,
    Effect,
    Either,
    Event,
    External,
    Group,
    Guard,
    GuardKind,
    Object,
    PerRank,
    Reason,
    Symbol,
    Unknown,
    Value,
    Varying,
    Walk,
    terms,
)
from ddplint.rule.code import Site
from ddplint.rule.facts import Pass, passes, uniformity
from ddplint.rule.knowledge import begins, load_knowledge

_MOST = 400
"""Terms in a measure that are looked at."""
_COMPARED = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, eq=False)
class ShareOverAll:
    """``ratio`` divides what a rank has counted in ``share`` by the number of samples that all ranks have."""

    ratio: Event
    share: Pass


@dataclass(frozen=True, eq=False)
class KeptByShare:
    """``write`` is done by some ranks where ``guard`` says so, by a measure over ``share``."""

    write: Event
    guard: Guard
    share: Pass


def shares_over_all(walk: Walk) -> Iterator[ShareOverAll]:
    """Ratios of a rank's own sum and of the length of the whole set, which no rank hears of from the others."""
    if walk.cut:
        return
    for ratio in walk.doing(Effect.RATIO):
        measure, count = ratio.args
        share = next((one for one in passes(walk) if _is_behind(one, ratio, measure, count)), None)
        if share is None or _is_reckoned(ratio) or not walk.run_together(ratio):
            continue
        if not _is_told(walk, share, ratio):
            yield ShareOverAll(ratio, share)


def _is_reckoned(ratio: Event) -> bool:
    """Whether the statement speaks of ranks: it may say by how many the ratio is too small."""
    return uniformity.names_ranks(Site(ratio.file, ratio.node).statement)


def _is_behind(share: Pass, ratio: Event, measure: Value, count: Value) -> bool:
    """Whether a measure was taken in a loop over a rank's share of a set, and the count is the length of that set."""
    if share.loop is None or share.loop in ratio.loops or share.event.order > ratio.order or not share.certain:
        return False
    if not share.event.by_all or not is_of_each(share):
        return False
    data = share.loader.argument(0, "dataset")
    return data is not None and _is_length(count, data) and any(_is_own(one, share) for one in _ways(measure))


def is_of_each(share: Pass) -> bool:
    """Whether every rank has a share of its own: the numbers of all processes are not the one of a single share."""
    size, rank = share.sampler.argument(1, "num_replicas"), share.sampler.argument(2, "rank")
    if size is None:
        return rank is None
    return size != Const(1) and isinstance(rank, PerRank) and len(set(rank.values)) == len(rank.values)


def _is_length(count: Value, data: Value) -> bool:
    what = count.symbol.whole if isinstance(count, Unknown) else None
    return isinstance(what, terms.Len) and what.of in (data, getattr(data, "symbol", data))


def _ways(value: Value) -> Iterator[Value]:
    if isinstance(value, Either):
        yield from _ways(value.yes)
        yield from _ways(value.no)
    else:
        yield value


def _is_own(value: Value, share: Pass) -> bool:
    """Whether it is worked out of what a model makes of a loader's batches, and of nothing that ranks agreed on."""
    if not isinstance(value, Varying) or value.trail is None:
        return False
    made = getattr(share.loader.site, "node", share.loader.site)
    if not any(origin.node is made for origin in value.trail.links()):
        return False
    return not value.symbol.holds_agreed and any(map(_judges, value.symbol.within(_MOST)))


def _judges(what: Symbol) -> bool:
    """Whether it compares what a model says with what is right, or is a loss."""
    inner = what.whole
    if isinstance(inner, terms.Method):
        return inner.name == "eq"
    if isinstance(inner, terms.Operation):
        return inner.sign == "=="
    if isinstance(inner, terms.FromObject) and isinstance(inner.of, Object):
        return begins("loss_functions", inner.of.name)
    return isinstance(inner, terms.Call) and begins("loss_functions", str(inner.name))


def _is_told(walk: Walk, share: Pass, ratio: Event) -> bool:
    """Whether ranks bring anything together from the loop on, or hand the ratio to what nobody could follow.

    What they bring together where they train is of the next round, unless the ratio is in it.
    """
    without, trained = load_knowledge().quiet("without_weights"), _trained(walk)
    for event in walk.doing(Effect.COLLECTIVE, Effect.OPAQUE):
        if event.order < share.event.order or event.name in without:
            continue
        given = [*event.args, *event.kwargs.values(), *event.details.get("content", ()), event.receiver]
        beside = event.effect == Effect.OPAQUE or not trained.isdisjoint(map(id, event.loops[-1:]))
        if beside and event.order > ratio.order:
            if any(_may_hold(one, ratio.result) for one in given):
                return True
        elif (share.loop not in event.loops or not beside) and not all(map(_is_plain, given)):
            return True
    return False


def _trained(walk: Walk) -> set[int]:
    """The loops in which gradients are computed."""
    return {id(loop) for event in walk.doing(Effect.BACKWARD) for loop in event.loops[-1:]}


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (Const, External, Group))


def _may_hold(given: object, made: Value | None) -> bool:
    """Whether a value may be worked out of a ratio, as far as anything is known of both."""
    if _is_plain(given):
        return False
    known = made.symbol if isinstance(made, (Unknown, Varying)) else None
    if isinstance(given, (Unknown, Varying)) and known is not None:
        return known in given.symbol.within(_MOST)
    return True


def kept_by_share(walk: Walk) -> Iterator[KeptByShare]:
    """Files that one rank writes or not by comparing what it has worked out of its share of an evaluation."""
    writes = [event for event in walk.doing(Effect.WRITE) if event.by_some]
    if walk.cut or not writes:
        return
    shares = [one for one in passes(walk) if _is_an_evaluation(walk, one)]
    parted = {id(one.guard.node) for one in walk.divergences}
    for write in writes if shares else ():
        guard = next((one for one in write.guards if _asks(one) and id(one.node) not in parted), None)
        if guard is None or not walk.run_together(write) or not any(map(_compares, write.path)):
            continue
        share = next((one for one in shares if _is_asked_there(one, guard, write)), None)
        if share is not None:
            yield KeptByShare(write, guard, share)


def _asks(guard: Guard) -> bool:
    return guard.reason is Reason.DATA and guard.kind in (GuardKind.IF, GuardKind.AND) and not guard.guess


def _compares(what: Symbol) -> bool:
    """Whether a condition holds one thing against another, by which is more."""
    inside = what.whole
    return isinstance(inside, terms.Operation) and inside.sign in _COMPARED


def _is_an_evaluation(walk: Walk, share: Pass) -> bool:
    """Whether all ranks go through a share of their own, and nothing is trained in it."""
    if share.loop is None or not share.certain or not share.event.by_all or not is_of_each(share):
        return False
    return not any(share.loop in event.loops for event in walk.doing(Effect.BACKWARD))


def _is_asked_there(share: Pass, guard: Guard, write: Event) -> bool:
    """Whether the condition is about what came of the share."""
    made = getattr(share.loader.site, "node", share.loader.site) if isinstance(share.loader, Object) else None
    own = any(origin.node is made for origin in guard.origins)
    return own and share.event.order < write.order and share.loop not in write.loops
