"""Which timeout bounds a wait at some point of a walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Walk
from ddplint.rule.code import starred
from ddplint.rule.facts import kept, minutes_of
from ddplint.rule.knowledge import Api

_FRAMEWORK = {"transformers": "30 minutes (ddp_timeout)", "lightning": "30 minutes"}
_OF_HANDLER = "the timeout of its InitProcessGroupKwargs"
_NCCL_FIRST = "10 minutes on NCCL, else 30"


@dataclass(frozen=True, eq=False)
class Limit:
    """A timeout: ``minutes`` where it is written out, ``text`` for people, ``event`` where the group is made.

    ``own`` means that the program sets it itself.
    """

    text: str
    minutes: float | None = None
    own: bool = False
    event: Event | None = None


def limit_of_group(event: Event, walks: Sequence[Walk]) -> Limit:
    """The timeout of the default group when ``event`` runs."""
    here = (walk for walk in walks if walk.doing(Effect.INIT) and id(event) in _held(walk))
    made = [other for walk in here for other in walk.doing(Effect.INIT) if other.order < event.order]
    for other in made or [other for walk in walks for other in walk.doing(Effect.INIT)]:
        limit = limit_of_call(other, walks)
        if limit is not None:
            return limit
    return Limit(f"the default timeout of the process group ({_NCCL_FIRST})")


@kept
def _held(walk: Walk) -> frozenset[int]:
    """The events of a walk, by identity."""
    return frozenset(map(id, walk.events))


def limit_of_wait(wait: Event, walks: Sequence[Walk], late: frozenset[int] = frozenset()) -> Limit | None:
    """The timeout that bounds an operation; ``None`` where its group comes from who knows where.

    ``late`` are the ranks that the others wait for, where these are known.
    """
    if not wait.group:
        return _of_lightning(wait, walks) or limit_of_group(wait, walks)
    made = _maker(wait, walks)
    if made is None:
        return None
    given = _given(made, "timeout", 1)
    if given is not None and 0 in late and _is_set_up_by(wait, made, walks):
        return _while_set_up(given, limit_of_group(wait, walks))
    if given is not None:
        return given
    backend = made.kwargs.get("backend")
    minutes = "30 minutes" if isinstance(backend, Const) and backend.value == "gloo" else _NCCL_FIRST
    return Limit(f"the default of a new group ({minutes}), which inherits nothing", event=made)


def _is_set_up_by(wait: Event, made: Event, walks: Sequence[Walk]) -> bool:
    """Whether ``wait`` is the first operation of a group that NCCL sets up with it, with rank 0 as its first rank.

    Measured on NCCL 2.28 (torch 2.11, ``fixtures/README.md``): the others ask the store for what rank 0 puts there when
    it comes. A device in ``init_process_group`` sets every group up when it is made, gloo always does.
    """
    walk = next((walk for walk in walks if id(wait) in _held(walk)), None)
    if walk is None or made.args or "ranks" in made.kwargs:
        return False
    inits = [event for event in walk.doing(Effect.INIT) if event.order < made.order]
    own = made.kwargs.get("backend", inits[-1].argument("backend", 0) if inits else None)
    if own != Const("nccl") or "device_id" in inits[-1].kwargs or "**" in inits[-1].kwargs:
        return False
    return not any(event.group == wait.group and made.order < event.order < wait.order for event in walk.events)


def _while_set_up(given: Limit, init: Limit) -> Limit:
    """The timeout of the default group, where the longer one of the group itself does not count yet."""
    if given.minutes is not None and init.minutes is not None and init.minutes >= given.minutes:
        return given
    text = f"{init.text}, since NCCL sets this group up with its first operation, and {given.text} counts after it"
    return Limit(text, init.minutes, init.own, init.event)


def _maker(wait: Event, walks: Sequence[Walk]) -> Event | None:
    """The ``new_group`` whose result a call waits in."""
    walk = next((walk for walk in walks if id(wait) in _held(walk)), None)
    made = walk.doing(Effect.COLLECTIVE) if walk is not None else ()
    return next((event for event in made if event.details.get("makes") == wait.group), None)


def _of_lightning(wait: Event, walks: Sequence[Walk]) -> Limit | None:
    """The timeout of Lightning's strategy, for an operation of Lightning's."""
    if wait.api is None or wait.api.framework != "lightning":
        return None
    for walk in walks:
        for event in walk.doing(Effect.CONSTRUCT):
            if event.name.endswith("Strategy") and "timeout" in event.kwargs:
                return limit_of_call(event, walks)
    return Limit(f"Lightning's default of {_FRAMEWORK['lightning']}")


def limit_of_call(event: Event, walks: Sequence[Walk]) -> Limit | None:
    """The timeout that a call gives the process group it makes; ``None`` for calls that make none."""
    api = event.api
    if api is None:
        return None
    if api.framework == "accelerate":
        return _of_accelerate(event, walks)
    if api.framework in _FRAMEWORK and not api.timeout.name:
        return Limit(f"{api.framework}'s default of {_FRAMEWORK[api.framework]}", event=event)
    if not api.timeout.name:
        return None
    return _given(event, api.timeout.name, api.timeout.position) or _default(event, api)


def _default(event: Event, api: Api) -> Limit:
    """What applies where a call says nothing: the framework's own default, or torch's."""
    if api.timeout_default:
        minutes = float(api.timeout_default.partition(" ")[0])
        return Limit(f"{api.framework}'s default of {api.timeout_default}", minutes, event=event)
    return Limit(_default_of_torch(event), event=event)


def _default_of_torch(event: Event) -> str:
    backend = event.argument("backend", 0)
    if backend == Const("nccl"):
        return "NCCL's default timeout of 10 minutes"
    if isinstance(backend, Const):
        return "the default timeout of 30 minutes"
    return f"the default timeout of the process group ({_NCCL_FIRST})"


def _given(event: Event, keyword: str, position: int | None) -> Limit | None:
    given = event.argument(keyword, position)
    if given is None and not _is_starred(event):
        return None
    if given == Const(None):
        return None
    minutes = minutes_of(given)
    text = f"the timeout of {told(minutes)}" if minutes is not None else "the timeout it is given"
    return Limit(text, minutes, own=True, event=event)


def _is_starred(event: Event) -> bool:
    """Whether what it is given may have the argument: some of it is not known one by one."""
    return "**" in event.kwargs or "*" in event.kwargs or (event.call is not None and starred(event.call))


def _of_accelerate(event: Event, walks: Sequence[Walk]) -> Limit | None:
    if "kwargs_handlers" in event.kwargs:
        return _of_handlers(event, walks)
    if "timeout" in event.kwargs or "**" in event.kwargs:
        return Limit(_OF_HANDLER, own=True, event=event)
    return Limit(f"Accelerate's default timeout ({_NCCL_FIRST})", event=event)


def _of_handlers(event: Event, walks: Sequence[Walk]) -> Limit:
    """The timeout of the one ``InitProcessGroupKwargs`` that is made before, among the handlers of an accelerator."""
    handlers = {
        id(one.node): one
        for walk in walks
        if id(event) in _held(walk)
        for one in walk.doing(Effect.TIMEOUT)
        if one.api is not None and one.api.framework == "accelerate" and one.order < event.order
    }
    found = [_given(one, one.api.timeout.name, one.api.timeout.position) for one in handlers.values() if one.api]
    minutes = found[0].minutes if len(found) == 1 and found[0] is not None else None
    text = _OF_HANDLER if minutes is None else f"the timeout of {told(minutes)}"
    return Limit(text, minutes, own=True, event=event)


def told(minutes: float) -> str:
    """A timeout in words."""
    if minutes < 1 or minutes % 1:
        return f"{minutes * 60:g} seconds"
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"
