"""Work known to be long that some ranks do while the others wait."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Container, Effect, Event, Frame, Object, Reason, Tuple, Value, Walk
from ddplint.rule.code import Site, figures
from ddplint.rule.facts import around, kept
from ddplint.rule.knowledge import begins
from ddplint_rules.runtime._helpers.kept_results import stays_there
from ddplint_rules.runtime._helpers.timeouts import Limit, limit_of_group, limit_of_wait

LONG = 60.0
"""Minutes: a program that gives the others an hour has thought of it."""
SHORT = 5.0
"""Minutes: less than a pass over a data set often takes."""

TIGHT = 2.0
"""Minutes: less than writing a large checkpoint, a download or the start of a tracker may take."""

_MAY_TAKE_LONG = (Effect.ITERATE, Effect.WRITE, Effect.DOWNLOAD, Effect.TRACKER)
"""Effects of what may take minutes, the longest first."""

_PROGRAMS = re.compile(
    r"""f?["']?(sys\.executable|python|torchrun|bash|sh|wget|curl|aws|gsutil|azcopy|rsync|tar|unzip|hf)\b"""
)
"""Commands that prepare data or models; those that ask git or the driver something are over at once."""

_PASSES = frozenset({Effect.FORWARD, Effect.INNER_FORWARD})
_OFTEN = 100
"""As many passes of a model may take minutes."""

_OPERATIONS = frozenset({Effect.COLLECTIVE, Effect.BACKWARD, Effect.CONSTRUCT, Effect.SAVE_ALL_RANKS})


@dataclass(frozen=True, eq=False)
class Wait:
    """Some ranks do ``work`` (``place`` is where it starts, as seen beside the wait) while the others are in ``wait``.

    ``known`` is false where only its shape says that the work is long (a loop over a loader). ``first`` means that
    the work stands in a main-process-first block.
    """

    work: Event
    wait: Event
    place: Frame
    at: Frame
    limit: Limit
    known: bool = True
    first: bool = False

    @property
    def busy(self) -> frozenset[int]:
        """The ranks that do the work while the others wait."""
        work = self.work
        return work.ranks if work.ranks < work.everyone else work.everyone - self.wait.ranks

    @property
    def called(self) -> str:
        """The work in words: ``Dataset.map``, or what a loop over a loader is called."""
        if self.work.effect in _PASSES:
            return "a loop of forward passes"
        if not self.known and self.work.effect != Effect.ITERATE:
            return f"{'a loop of ' if self.work.loops else ''}{self.work.name.rpartition('.')[2]}"
        if not self.known:
            return "a pass over a data loader"
        owner, name = self.work.name.split(".")[-2:]
        return f"{owner}.{name}" if owner[:1].isupper() else name


def waits(walks: Sequence[Walk]) -> Iterator[Wait]:
    """The waits of a file that may be too long for their timeout."""
    for walk in walks:
        told: set[int] = set()
        for work in walk.events:
            known = _is_slow(work)
            if not known and not _may_last(work) and not _is_rollout(walk, work):
                continue
            found = _wait_for(work, walk)
            if found is None:
                continue
            wait, first = found
            limit = limit_of_wait(wait, walks, frozenset() if first else work.ranks)
            if limit is None or not _may_be_exceeded(limit, known):
                continue
            place, at = _seen_together(work, wait)
            if known and stays_there(walk, work, place, wait):
                continue
            if id(place.node) not in told:
                told.add(id(place.node))
                yield Wait(work, wait, place, at, limit, known, first)


def tight(walks: Sequence[Walk]) -> Wait | None:
    """What some ranks do alone, in a program that gives the others less than two minutes to wait for it."""
    for walk in walks:
        alone = [work for work in walk.doing(*_MAY_TAKE_LONG) if not work.by_all]
        for work in sorted(alone, key=lambda work: _MAY_TAKE_LONG.index(work.effect)):
            limit = limit_of_group(work, [walk])
            if limit.event is None or limit.event.order > work.order or not _is_tight(limit) or _is_small(work):
                continue
            found = _wait_for(work, walk)
            if found is not None and _is_bounded_by(limit, found[0], walk):
                place, at = _seen_together(work, found[0])
                return Wait(work, found[0], place, at, limit)
    return None


def _is_bounded_by(limit: Limit, wait: Event, walk: Walk) -> bool:
    """Whether the others wait in the group that has this limit, and not in one of their own."""
    own = limit_of_wait(wait, [walk])
    return own is not None and own.event is limit.event


def _is_tight(limit: Limit) -> bool:
    return limit.own and limit.minutes is not None and limit.minutes < TIGHT


def _is_small(work: Event) -> bool:
    """Lines of text, loops over who knows what."""
    if work.effect == Effect.ITERATE:
        return not _is_pass(work)
    return begins("small_work", work.name)


def _may_be_exceeded(limit: Limit, known: bool) -> bool:
    if limit.minutes is None:
        return not limit.own
    return limit.minutes < (LONG if known or not limit.own else SHORT)


def _is_slow(event: Event) -> bool:
    """Long by the tables; what is downloaded once and then found on the disk, or goes on behind, does not count."""
    api = event.api
    if api is None or api.if_ or not (api.slow or "slow_rank0_work" in api.also):
        return False
    name, _, value = api.behind.partition("=")
    given = event.kwargs.get(name)
    return not (isinstance(given, Const) and str(given.value) == value)


def _may_last(event: Event) -> bool:
    """Work that is long by its shape: a loop over a loader or of generations, another program."""
    if event.name.endswith(".generate") and event.loops:
        return True
    return _is_program(event) if event.effect == Effect.PROCESS else _is_pass(event)


def _is_program(event: Event) -> bool:
    """Whether a call starts a script, a download or an unpacking, and waits for it."""
    if event.name.endswith("Popen") or event.call is None or not event.call.args:
        return False
    first = event.call.args[0].value
    if isinstance(first, (cst.List, cst.Tuple)) and first.elements:
        first = first.elements[0].value
    return _PROGRAMS.match(Site(event.file, first).module.code_for_node(first)) is not None


def _is_pass(event: Event) -> bool:
    """A loop over a data loader."""
    return event.effect == Effect.ITERATE and _is_loader(event.receiver)


def _is_loader(source: Value | None) -> bool:
    found = around(source) if source is not None else ()
    return any(isinstance(one, Object) and one.name.endswith("DataLoader") for one in found)


def _is_rollout(walk: Walk, event: Event) -> bool:
    """A forward pass in a loop that only some ranks go through, so often that it may take minutes."""
    if event.effect not in _PASSES or event.by_all:
        return False
    own = _own_loops(walk)
    sources = [own[id(loop)] for loop in event.loops if id(loop) in own]
    return any(map(_is_often, sources)) and not any(map(_is_loader, sources))


@kept
def _own_loops(walk: Walk) -> dict[int, Value | None]:
    """The loops that only some ranks go through, and what over."""
    iterates = (one for one in walk.doing(Effect.ITERATE) if not one.by_all)
    return {id(one.details["loop"]): one.receiver for one in iterates if one.details["loop"] is not None}


def _is_often(source: Value | None) -> bool:
    """Whether nothing says that there are few elements."""
    if isinstance(source, Object) and source.name == "builtins.range":
        ends = [end.value for end in source.args if isinstance(end, Const) and isinstance(end.value, int)]
        count = figures.count_of(ends)
        return len(ends) < len(source.args) or count is None or count >= _OFTEN
    return not isinstance(source, (Const, Container, Tuple))


def _wait_for(work: Event, walk: Walk) -> tuple[Event, bool] | None:
    """The operation in which the others wait for the ranks that do the work, and whether they do it too, afterwards."""
    others = work.everyone - work.ranks
    if not others:
        gate = _gate(work, walk)
        return None if gate is None else (gate, True)
    if not any(guard.reason is Reason.IDENTITY for guard in work.guards):
        return None
    for event in walk.doing(*_OPERATIONS):
        if event.order > work.order and others <= event.ranks:
            again = any(others <= one.ranks for one in _done_at(walk).get(work.node, ()) if one.order > event.order)
            return None if "timeout" in event.kwargs else (event, again)
    return None


@kept
def _done_at(walk: Walk) -> dict[cst.CSTNode, list[Event]]:
    """What is done by each node."""
    found: dict[cst.CSTNode, list[Event]] = {}
    for event in walk.events:
        found.setdefault(event.node, []).append(event)
    return found


def _gate(work: Event, walk: Walk) -> Event | None:
    """The barrier at which some ranks wait before the work until the others, who have done it, come to theirs."""
    waiting: Event | None = None
    for event in walk.doing(*_OPERATIONS):
        if event.order < work.order:
            waiting = None if event.ranks == work.everyone or waiting is not None else event
        elif waiting is not None and event.ranks == work.everyone - waiting.ranks:
            return None if waiting.group or "timeout" in waiting.kwargs else waiting
        else:
            return None
    return None


def _seen_together(work: Event, wait: Event) -> tuple[Frame, Frame]:
    """The steps of the two call stacks in the function that both go through."""
    for mine, other in zip(work.stack, wait.stack, strict=False):
        if mine.node is not other.node:
            return mine, other
    return work.stack[-1], wait.stack[-1]
