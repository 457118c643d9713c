"""Process groups of a file: with which backend and timeout they are made, and who works alone beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import MEETS, Const, Effect, Event, Reason, Walk
from ddplint.rule.code import argument, starred
from ddplint.rule.facts import INIT, GroupCall, calls_of
from ddplint.rule.knowledge import Arg

NEW_GROUP = "torch.distributed.new_group"
_ALONE = frozenset(
    {Effect.DOWNLOAD, Effect.FORWARD, Effect.INNER_FORWARD, Effect.PROCESS, Effect.SAVE_ANY, Effect.WRITE}
)


def timed_by_frameworks(walks: Sequence[Walk]) -> Iterator[tuple[GroupCall, Arg]]:
    """The calls by which a framework makes the group with a timeout, and the argument that is it."""
    inits = (event for walk in walks for event in walk.doing(Effect.INIT) if event.name != INIT)
    rows = {event.name: event.api for event in inits if event.api is not None and event.api.timeout.name}
    for call in calls_of(walks, rows) if rows and not has_patient_group(walks) else ():
        timeout = rows[call.name].timeout
        if argument(call.node, timeout.name, timeout.position) is not None:
            yield call, timeout


def may_have_timeout(call: GroupCall) -> bool:
    """Whether ``**options`` may bring one: not where the walk has seen all that is in them."""
    if not starred(call.node):
        return False
    written = {arg.keyword.value for arg in call.node.args if arg.keyword is not None}
    stars = [arg.star for arg in call.node.args if arg.star]
    seen = [event.kwargs.keys() for event in call.events]
    return stars != ["**"] or not seen or any({"timeout", "**"} & names or not names - written for names in seen)


def work_alone(walks: Sequence[Walk]) -> bool:
    """Whether some ranks, because of who they are, do something that may take long."""
    return any(
        event.effect in _ALONE and any(guard.reason is Reason.IDENTITY for guard in event.guards)
        for walk in walks
        for event in walk.events
    )


def only_sends(walks: Sequence[Walk]) -> bool:
    """Whether all communication of the file is sending and receiving: there is no collective to wait in."""
    effects = {event.effect for walk in walks for event in walk.events}
    return Effect.POINT_TO_POINT in effects and not effects & (MEETS | {Effect.SAVE_ANY})


def has_patient_group(walks: Sequence[Walk]) -> bool:
    """Whether what takes long waits in a group of its own."""
    groups = (event for walk in walks for event in walk.events if event.name == NEW_GROUP)
    return any("timeout" in event.kwargs for event in groups)


def backends(events: Sequence[Event]) -> set[object]:
    """The backends that a group is made with: ``""`` where none is named, ``None`` for one that is not known."""
    unnamed = Const("")
    given = (event.kwargs.get("backend", event.args[0] if event.args else unnamed) for event in events)
    return {(value.value or "") if isinstance(value, Const) else None for value in given}


def default_of(events: Sequence[Event]) -> str:
    """The default that applies, as far as the backend is known."""
    known = backends(events)
    if known == {"nccl"}:
        return "NCCL's default of 10 minutes applies"
    if known and None not in known and "nccl" not in known:
        return "the default of 30 minutes applies"
    return "the default applies, 10 minutes for backend nccl and 30 otherwise"


def timed_init(event: Event, walks: Sequence[Walk]) -> Event | None:
    """The creation of the default group before ``event``, in the same walk, where it has a timeout of its own."""
    walk = next(walk for walk in walks if any(other is event for other in walk.events))
    for other in walk.events:
        if other.name == INIT and other.order < event.order:
            timeout = other.argument("timeout", 2)
            if timeout is not None and timeout != Const(None):
                return other
    return None
