"""Calls of functions that only compute: of one kind they are walked once.

The index says which functions speak to nobody, touch no file and change nothing, and what they read
(``project.index.purity``). A call that reads just what an earlier one read gives what that one gave, if nothing in it
was new: no object, and no term that stands for itself alone. What another call of the same kind gives is named by what
it read, where nothing in it may raise. A call of another kind (other constants, something that each rank has for
itself) is walked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import FALSE, Function, Instance, Object, Value
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record, Risks
from ddplint.analysis.memory.wrapping import Passes
from ddplint.analysis.summaries import helper_modules
from ddplint.analysis.summaries.given_values import Given, given, has_born
from ddplint.analysis.summaries.helper_modules import Unheard
from ddplint.analysis.summaries.result_shapes import Filler, Shape, shape_of
from ddplint.analysis.trace.events import Details, Event
from ddplint.project.index.purity import Reads

_SILENT = frozenset(
    {
        Effect.FETCH,
        Effect.GENERATOR,
        Effect.INNER_FORWARD,
        Effect.ITERATE,
        Effect.LOCAL_VALUE,
        Effect.NAME_DEVICE,
        Effect.RAISE,
        Effect.RATIO,
        Effect.USE_DEVICE,
    }
)
"""What is noted again for each call, as the first of its kind noted it."""
_USES = frozenset({Effect.APART, Effect.PART})
"""What is noted again of the modules that are given then, in the place of those that the first call was given."""


@dataclass(slots=True)
class Answer:
    """What the first call of a kind gave: the ``shape`` of its result, if others can be named, and what it noted.

    ``values``: the results of calls by what they read. ``deep``: how many calls, guards and loops were around it.
    ``things``: the numbers of the objects among what the first call was given.
    """

    shape: Shape | None
    values: dict[tuple[object, ...], Value]
    risks: Risks
    events: Sequence[Event]
    deep: tuple[int, int, int]
    things: Sequence[int]


@dataclass(slots=True)
class Computed(Record):
    """``answers`` by the kind of a call, ``None`` where it is to be walked; ``reads`` of functions by their nodes."""

    life = Life.ENTRY
    answers: dict[tuple[object, ...], Answer | None] = field(default_factory=dict)
    reads: dict[int, Reads | None] = field(default_factory=dict)


def result(
    w: Interp,
    function: Function,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    node: cst.CSTNode,
    walk: Callable[[], Value],
) -> Value:
    """What a call gives: named where such a call was walked before and did nothing else, else walked."""
    reads = _reads(w, function)
    if reads is None or helper_modules.hears_of_others(w, reads, args, kwargs):
        return walk()
    run = walk if reads.ends else partial(unheard, w, walk)
    asked = given(w, function, reads, args, kwargs)
    if asked is None:
        return run()
    answers = w.record(Computed).answers
    if asked.kind not in answers:
        return _noted(w, asked, node, run, reads)
    answer = answers[asked.kind]
    read = _read(asked)
    if answer is None or (answer.shape is None and read not in answer.values):
        return run()
    _replay(w, answer, node, _things(asked))
    if read in answer.values or answer.shape is None:
        return w.state.narrow(answer.values[read])
    return Filler(w, id(function.node), asked.values).fill(answer.shape)


def unheard(w: Interp, walk: Callable[[], Value]) -> Value:
    """Walk what speaks to nobody."""
    inside = w.record(Unheard)
    inside.depth += 1
    try:
        return walk()
    finally:
        inside.depth -= 1


def only_computes(w: Interp, function: Function) -> bool:
    """Whether a function speaks to nobody, touches no file, and changes nothing that others ask for."""
    return _reads(w, function) is not None


def _reads(w: Interp, function: Function) -> Reads | None:
    known = w.record(Computed).reads
    if id(function.node) not in known:
        owner = function.owner.name if function.owner is not None else ""
        known[id(function.node)] = w.project.index.reads_of(function.module.file, owner, function.name)
    return known[id(function.node)]


def _noted(w: Interp, asked: Given, node: cst.CSTNode, walk: Callable[[], Value], reads: Reads) -> Value:
    """Walk a call, and note what it gave if it did nothing else; where it may raise, no others are named."""
    state = w.state
    new, owners, events, nodes = next(w.ids), len(w.owners), len(w.events), len(state.trace)
    mask, path, risks, limits, born = state.mask, state.path, w.risks.so_far(), len(w.limits), fresh("call")
    deep = len(w.stack(node)), len(w.guards), len(w.around)
    with state.watched() as before:
        value = walk()
    same = state.mask == mask and state.path is path and len(state.trace) == nodes and len(w.limits) == limits
    happened = w.events[events:]
    wrote = _writes(w, before, new, owners, reads.kept)
    things = _things(asked)
    silent = same and not wrote and all(_may_be_noted_again(event, things) for event in happened)
    shape = shape_of(w, value, asked.values, new) if silent and not reads.ends else None
    values = {_read(asked): value} if silent and not has_born(w, value, new, born) else {}
    once = {_said(event): event for event in reversed(happened)}
    kept = [event for event in happened if once[_said(event)] is event]
    answers = w.record(Computed).answers
    known = shape is not None or bool(values)
    answers[asked.kind] = Answer(shape, values, w.risks.since(risks), kept, deep, things) if known else None
    return value


def _things(asked: Given) -> tuple[int, ...]:
    """The number of each object among what a call is given; 0 for what is no object."""
    return tuple(one.id if isinstance(one, (Instance, Object)) else 0 for one in asked.values)


def _said(event: Event) -> tuple[object, ...]:
    """What one note says that no other does: where it was made; of which modules, and by which calls they are used."""
    if event.effect not in _USES:
        return (id(event.node),)
    return id(event.node), event.details["parts"], *(id(frame.node) for frame in event.stack)


def _may_be_noted_again(event: Event, things: Sequence[int]) -> bool:
    return event.effect in _SILENT or (event.effect in _USES and event.details["parts"].issubset(things))


def _read(asked: Given) -> tuple[object, ...]:
    return tuple(map(terms.key_of, asked.values))


def _writes(w: Interp, before: Mapping[Location, Value | None], new: int, owners: int, kept: frozenset[str]) -> bool:
    """Whether something is other than before that was there before, and that others than such calls ask for."""
    unknown = set(islice(w.owners.values(), owners, None))
    others = (item for item in before.items() if item[0][1] not in kept)
    there = (item for item in others if abs(item[0][0]) < new or item[0][0] in unknown)
    return any(not _is_still(w, w.state.store.get(where), old, where) for where, old in there)


def _is_still(w: Interp, value: Value | None, old: Value | None, where: Location) -> bool:
    """Whether a value is what it was, whichever way was taken. A mode that is off may never have been on."""
    if value is None or old is None:
        return value is old or (where[0] == 0 and {value, old} == {None, FALSE})
    before = w.state.narrow(old)
    return all(w.state.narrow(way) == before for way in alternatives(value))


def _replay(w: Interp, answer: Answer, node: cst.CSTNode, things: Sequence[int]) -> None:
    """Note what such a call notes, of the ``things`` that it is given."""
    risks = answer.risks
    w.risks.note(w.state.path, bool(risks.anything), bool(risks.own))
    w.risks.broken += risks.broken
    w.risks.reads += risks.reads
    stack, guards, loops = answer.deep
    instead = dict(zip(answer.things, things, strict=True))
    for event in answer.events if not w.quiet else ():
        w.events.append(
            replace(
                event,
                details=_of_others(w, event, instead) if event.effect in _USES else event.details,
                order=next(w.order),
                stack=(*w.stack(node), *event.stack[stack:]),
                guards=(*w.guards, *event.guards[guards:]),
                loops=(*w.around, *event.loops[loops:]),
                path=w.state.path.known,
                together=w.state.together(),
            )
        )


def _of_others(w: Interp, event: Event, instead: Mapping[int, int]) -> Details:
    """What is said of the use of a module, where it is another one, perhaps in another pass of the model."""
    details: Details = {**event.details, "parts": frozenset(instead[part] for part in event.details["parts"])}
    if event.effect == Effect.PART:
        begun = w.record(Passes).running[0]
        details |= {"wrapped": begun.model, "pass_number": begun.number, "depth": begun.depth}
    return details
