"""Schedules of the learning rate that are as long as one number of batches says, and stepped by another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import WORLD_SIZE, Const, Effect, Event, Object, Symbol, Unknown, Value, Walk, terms
from ddplint.rule.facts import SHARD, Pass, around, passes
from ddplint.rule.knowledge import begins, load_knowledge
from ddplint_rules.data._helpers.shares_over_all import is_of_each

_MOST = 200
"""Terms in an argument that are looked at."""
_ACCELERATE = "accelerate"
_STEPS_OTHERWISE = frozenset(
    {"*", "**", "dataloader_config", "gradient_accumulation_plugin", "split_batches", "step_scheduler_with_optimizer"}
)
"""Arguments of an ``Accelerator`` that decide how often it steps a schedule."""
_ACCUMULATES = "gradient_accumulation_steps"
_DIVIDES = frozenset({"/", "//"})


_TEXTS = (
    "each rank steps once for each batch of its share, but the schedule is for the batches of all: it does not end",
    "accelerate steps this schedule once for each rank, but it is as long as one rank's batches: it ends early",
)
_REMEDIES = (
    "take the number of batches of the loader that each rank goes through",
    "multiply its length by the number of ranks, or do not prepare it",
)


@dataclass(frozen=True, eq=False)
class Misfit:
    """``event`` steps a schedule that is too long, or lets a library do it (``by_library``), which takes too many."""

    event: Event
    by_library: bool

    @property
    def text(self) -> str:
        """What is wrong."""
        return _TEXTS[self.by_library]

    @property
    def remedy(self) -> str:
        """What helps."""
        return _REMEDIES[self.by_library]


def misfits(walk: Walk) -> Iterator[Misfit]:
    """Schedules that end too early, or do not end, because they were reckoned by what another number of ranks does."""
    reported: set[object] = set()
    for found in _misfits(walk) if not walk.cut else ():
        if found.event.node not in reported:
            reported.add(found.event.node)
            yield found


def _misfits(walk: Walk) -> Iterator[Misfit]:
    prepared = [event for event in walk.doing(Effect.CONSTRUCT) if _prepares(event) and event.by_all]
    for event in prepared:
        if _is_stepped_for_all(event) and any(_is_by_own_batches(value, event) for value in event.args):
            yield Misfit(event, by_library=True)
    given = [value for event in prepared for value in event.args]
    shares = list(passes(walk))
    for step in walk.doing(Effect.RATE_STEP):
        schedule = step.receiver
        if not step.by_all or step.args or step.kwargs or schedule is None or schedule in given:
            continue
        whole = any(_is_by_whole_loader(schedule, step, walk, event) for event in prepared)
        whole = whole or any(_is_by_whole_set(schedule, step, share) for share in shares)
        if whole and not _ends_the_run(walk, schedule):
            yield Misfit(step, by_library=False)


def _prepares(event: Event) -> bool:
    return event.api is not None and event.api.framework == _ACCELERATE and event.makes("prepare")


def _numbers(schedule: Value) -> list[set[Symbol]]:
    """The terms in the numbers that a schedule was made with, apart; none where it is no schedule."""
    given: list[object] = []
    if isinstance(schedule, Object) and begins("schedulers", schedule.name):
        given = [*schedule.args[1:], *(value for _, value in schedule.kwargs)]
    elif isinstance(schedule, Unknown) and isinstance(made := schedule.symbol.whole, terms.Call):
        given = list(made.given) if made.name in load_knowledge().quiet("makes_schedules") else []
    found = []
    for one in given:
        symbol = one.symbol if isinstance(one, Unknown) else one
        if isinstance(symbol, Symbol):
            found.append(set(symbol.within(_MOST)))
    return found


def _lengths(schedule: Value) -> Iterator[tuple[object, set[Symbol]]]:
    """Of what a schedule's numbers hold the length, none of which says anything of the number of ranks."""
    numbers = _numbers(schedule)
    if any(Const(WORLD_SIZE) in one.whole.parts or one.rank_dependent for inside in numbers for one in inside):
        return
    for inside in numbers:
        yield from ((one.whole.of, inside) for one in inside if isinstance(one.whole, terms.Len))


def _ends_the_run(walk: Walk, schedule: Value) -> bool:
    """Whether the run itself goes by that length: as many steps are taken as the schedule has, over more epochs."""
    known = {of for of, _ in _lengths(schedule)}
    asked = {what for event in walk.events for what in event.path}
    for event in walk.doing(Effect.ITERATE):
        counted = event.receiver
        given = counted.args if isinstance(counted, Object) else ()
        asked.update(one.symbol for one in given if isinstance(one, Unknown))
    return any(
        isinstance(one.whole, terms.Len) and one.whole.of in known for what in asked for one in what.within(_MOST)
    )


def _is_stepped_for_all(prepare: Event) -> bool:
    """Whether accelerate takes as many steps at once as there are ranks, in schedules that are prepared here."""
    accelerator = prepare.receiver
    if not isinstance(accelerator, Object) or prepare.kwargs:
        return False
    return not accelerator.args and _STEPS_OTHERWISE.isdisjoint(name for name, _ in accelerator.kwargs)


def _accumulated(prepare: Event) -> Value | None:
    """How many batches there are between two steps; None where there is one."""
    accelerator = prepare.receiver
    given = accelerator.argument(-1, _ACCUMULATES) if isinstance(accelerator, Object) else None
    return None if given == Const(1) else given


def _is_by_own_batches(schedule: Value, prepare: Event) -> bool:
    """Whether a schedule is as long as a loader that was prepared says: as many steps as one rank takes."""
    between = _accumulated(prepare)
    part = between.symbol if isinstance(between, Unknown) else between
    own = (inside for of, inside in _lengths(schedule) if isinstance(of, Object) and of.name == SHARD)
    return any(part is None or any(_divides_by(one.whole, part) for one in inside) for inside in own)


def _divides_by(made: Symbol, part: object) -> bool:
    return isinstance(made, terms.Operation) and made.sign in _DIVIDES and part in made.operands[1:]


def _is_by_whole_loader(schedule: Value, step: Event, walk: Walk, prepare: Event) -> bool:
    """Whether it is as long as a loader before that was shared out, and stepped once for each batch of a share."""
    if not _is_stepped_for_all(prepare) or _accumulated(prepare) is not None:
        return False
    if not prepare.agrees_with(step) or not prepare.order < step.order:
        return False
    whole = [of for of, _ in _lengths(schedule) if isinstance(of, Object) and of in prepare.args and of.name != SHARD]
    loops = [event for event in walk.doing(Effect.ITERATE) if event.details["loop"] in step.loops[-1:]]
    drawn = [loader for event in loops for loader in around(event.receiver) if loader.name == SHARD]
    return any(loader.site is of.site for loader in drawn for of in whole)


def _is_by_whole_set(schedule: Value, step: Event, share: Pass) -> bool:
    """Whether it is as long as the batches of the whole set, and stepped once for each that a rank has of it."""
    if share.loop is None or share.loop not in step.loops[-1:] or not share.certain or not is_of_each(share):
        return False
    data, size = share.sampler.argument(0, "dataset"), share.loader.argument(1, "batch_size")
    if data is None or size is None or share.loader.argument(0, "dataset") != data:
        return False
    batch = size.symbol if isinstance(size, Unknown) else size
    if isinstance(batch, Symbol) and any(Const(WORLD_SIZE) in one.whole.parts for one in batch.within(_MOST)):
        return False
    return any(
        _is_whole(of, data, size) or (of == data and any(_is_divided(one, of, batch) for one in inside))
        for of, inside in _lengths(schedule)
    )


def _is_whole(loader: object, data: Value, size: Value) -> bool:
    """Whether it is a loader of the same batches, of the whole set."""
    if (
        not isinstance(loader, Object)
        or not loader.name.endswith("DataLoader")
        or loader.argument(0, "dataset") != data
    ):
        return False
    chosen = (loader.argument(3, "sampler"), loader.argument(4, "batch_sampler"))
    return loader.argument(1, "batch_size") == size and all(one in (None, Const(None)) for one in chosen)


def _is_divided(what: Symbol, of: object, batch: object) -> bool:
    """Whether it is the length of a set, divided by how many samples a rank takes at once."""
    made = what.whole
    if not isinstance(made, terms.Operation) or made.sign not in _DIVIDES or len(made.operands) != 2:
        return False
    length, size = made.operands
    return (
        isinstance(length, Symbol) and isinstance(length.whole, terms.Len) and length.whole.of == of and size == batch
    )
