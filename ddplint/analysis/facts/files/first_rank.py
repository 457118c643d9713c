"""Which rank has surely done a thing before the others come to it."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, Object, PerRank, Value
from ddplint.analysis.facts.ranks import multiplicity, order
from ddplint.analysis.trace import paths
from ddplint.analysis.trace.events import Event, Walk

_HUB = "torch.hub"
_DEVICES = frozenset({"device", "map_location"})


def is_there(walk: Walk, event: Event) -> bool:
    """Whether it is found now: another rank has downloaded the same before, and all have met since; or all have."""
    if event.effect != Effect.DOWNLOAD:
        return False
    return _done_by_all(walk, event) or _done_by_another(walk, event) or _first_by_meeting(walk, event)


def _done_by_all(walk: Walk, event: Event) -> bool:
    """Whether all ranks of an event have fetched the same before, each for itself."""
    place = event.written(min(event.ranks))
    before = (one for one in walk.doing(Effect.DOWNLOAD) if one.order < event.order)
    return bool(place) and any(
        event.ranks <= one.ranks
        and _is_same_source(one, event)
        and one.written(min(one.ranks)) == place
        and order.always_before(one, event)
        for one in before
    )


def _is_same_source(one: Event, other: Event) -> bool:
    """Whether two calls fetch the same into one place: the same class, or any call of a hub that names its source."""
    hubs = one.name.rpartition(".")[0], other.name.rpartition(".")[0]
    return one.name == other.name or hubs == (_HUB, _HUB)


def _done_by_another(walk: Walk, event: Event) -> bool:
    """Whether a rank that does not come to an event has done the same before, and all have met since."""
    if event.by_all:
        return False
    before = (one for one in walk.events if one.name == event.name and one.order < event.order)
    return any(
        not one.ranks & event.ranks
        and _what(one) == _what(event)
        and all(order.comes_before(walk, one, min(one.ranks), event, rank) for rank in event.ranks)
        for one in before
    )


def _what(event: Event) -> object:
    return event.written(min(event.ranks)) or given(event)


def given(event: Event) -> tuple[Value, ...]:
    """What a call is given; of a command, the parts of it; of a download not the device that it goes to in the end."""
    if event.effect == Effect.PROCESS:
        return tuple(event.details.get("content", ()))
    if event.effect != Effect.DOWNLOAD:
        return (*event.args, *event.kwargs.values())
    named = (value for name, value in event.kwargs.items() if name not in _DEVICES)
    return tuple(value for value in (*event.args, *named) if not _is_device(value))


def _is_device(value: Value) -> bool:
    """Whether each rank names a device of its own."""
    own = value.values if isinstance(value, PerRank) else (value,)
    return all(isinstance(one, (Const, Object)) and _names_device(one) for one in own)


def _names_device(value: Const | Object) -> bool:
    if isinstance(value, Object):
        return value.name == "torch.device"
    return isinstance(value.value, str) and value.value.startswith("cuda")


def one_goes_first(walk: Walk, event: Event, among: Sequence[Walk] = ()) -> bool:
    """Whether the first rank, or the first of every node, has surely done it before any other rank comes to it.

    So it may be where some ranks, by who they are, first do something that nobody knows, and that may be a barrier.
    Parameters: ``among``, the walks of the file, in which one rank may prepare what this one does.
    """
    if any(_may_wait(other, event) for other in walk.events) or _done_by_another(walk, event):
        return True
    if _done_before_the_start(walk, event):
        return True
    return _is_prepared(walk, event, among) or _first_by_meeting(walk, event)


def _done_before_the_start(walk: Walk, event: Event) -> bool:
    """Whether the process that starts the ranks has done it, or has run the same line for what may be the path."""
    launches = (one for one in walk.doing(Effect.LAUNCH) if any(frame.node is one.node for frame in event.stack))
    begun = min((one.order for one in launches), default=0)
    before = (one for one in walk.doing(event.effect) if one.order < begun)
    return any(one.by_all and _waits_for_nothing_else(one, event) and _may_be_one(one, event) for one in before)


def _waits_for_nothing_else(one: Event, event: Event) -> bool:
    """Whether what must hold for the first holds for the second, but for what is missing, and that loops run."""
    asked = set(paths.asked_for(one.path).values())
    open_ = ((what, known) for what, known in one.path.items() if what not in asked and not what.is_fresh("round"))
    return all(event.path.get(what) is known for what, known in open_)


def _may_be_one(one: Event, other: Event) -> bool:
    """Whether it is one path, or, on the same line, may be: at least one is not known."""
    pair = one.details.get("path"), other.details.get("path")
    return pair[0] == pair[1] or (one.node is other.node and not all(isinstance(value, Const) for value in pair))


def _is_prepared(walk: Walk, event: Event, among: Sequence[Walk]) -> bool:
    """Whether a hook of the same object that its framework calls on one rank first does the same (``prepare_data``)."""
    if walk.hook != "all":
        return False
    before = (other for other in among if other.is_of_one and _are_of_one(walk, other))
    return any(one.node is event.node for other in before for one in other.events)


def _are_of_one(walk: Walk, other: Walk) -> bool:
    """Whether methods are those of one object: the class of one is the other's, or one of its bases."""
    pair = ((walk, other), (other, walk))
    return any(mine.lineage and mine.lineage[0] in other.lineage for mine, other in pair)


def _first_by_meeting(walk: Walk, event: Event) -> bool:
    """Whether the others wait before an event for the first rank, or the first of their node, which waits after it."""
    for first in ({min(event.ranks)}, multiplicity.LOCAL_FIRST & event.ranks):
        others = event.ranks - first
        if first and others and all(order.comes_before(walk, event, min(first), event, other) for other in others):
            return True
    return False


def _may_wait(other: Event, event: Event) -> bool:
    if (
        other.effect not in (Effect.OPAQUE, Effect.COLLECTIVE)
        or other.order > event.order
        or not other.depends_on_a_part
    ):
        return False
    around = {(frame.file, frame.function) for frame in event.stack}
    return (other.file, other.stack[-1].function) in around
