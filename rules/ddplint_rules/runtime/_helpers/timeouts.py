"""Which timeout bounds a wait at some point of a walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Event, Value, Walk
from ddplint.rule.code import Site, argument, figures, starred
from ddplint.rule.facts import kept
from ddplint.rule.knowledge import Api

_UNITS = {"days": 1440.0, "hours": 60.0, "minutes": 1.0, "seconds": 1 / 60, "weeks": 10080.0, "milliseconds": 1 / 60000}
_POSITIONAL = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
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
        limit = limit_of_call(other)
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
    """The ``new_group`` whose result a call names as its group."""
    if wait.call is None:
        return None
    written = argument(wait.call, "group", wait.api.group.position if wait.api is not None else None)
    if not isinstance(written, cst.Name):
        return None
    values = Site(wait.file, wait.node).values_of(written)
    events = (event for walk in walks for event in walk.events if event.name.endswith(".new_group"))
    return next((event for event in events if len(values) == 1 and event.node is values[0]), None)


def _of_lightning(wait: Event, walks: Sequence[Walk]) -> Limit | None:
    """The timeout of Lightning's strategy, for an operation of Lightning's."""
    if wait.api is None or wait.api.framework != "lightning":
        return None
    for walk in walks:
        for event in walk.doing(Effect.CONSTRUCT):
            if event.name.endswith("Strategy") and "timeout" in event.kwargs:
                return limit_of_call(event)
    return Limit(f"Lightning's default of {_FRAMEWORK['lightning']}")


def limit_of_call(event: Event) -> Limit | None:
    """The timeout that a call gives the process group it makes; ``None`` for calls that make none."""
    api = event.api
    if api is None:
        return None
    if api.framework == "accelerate":
        return _of_accelerate(event)
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

    if event.call is None:
        return None
    written = argument(event.call, keyword, position)
    if written is None:
        return Limit("the timeout it is given", own=True, event=event) if starred(event.call) else None
    seen: Value | None = event.kwargs.get(keyword)
    if seen == Const(None):
        return None
    minutes = minutes_of(Site(event.file, event.node), written)
    text = f"the timeout of {told(minutes)}" if minutes is not None else "the timeout it is given"
    return Limit(text, minutes, own=True, event=event)


def _of_accelerate(event: Event) -> Limit | None:
    if "kwargs_handlers" in event.kwargs:
        return _of_handlers(event)
    if "timeout" in event.kwargs or "**" in event.kwargs:
        return Limit(_OF_HANDLER, own=True, event=event)
    return Limit(f"Accelerate's default timeout ({_NCCL_FIRST})", event=event)


def _of_handlers(event: Event) -> Limit:
    """The timeout of an ``InitProcessGroupKwargs`` in a list that is written out."""
    unknown = Limit(_OF_HANDLER, own=True, event=event)
    given = argument(event.call, "kwargs_handlers", None) if event.call is not None else None
    if not isinstance(given, (cst.List, cst.Tuple)):
        return unknown
    site = Site(event.file, event.node)
    for element in given.elements:
        values = site.values_of(element.value) if isinstance(element.value, cst.Name) else [element.value]
        made = values[0] if len(values) == 1 else None
        if not isinstance(made, cst.Call) or not site.qualified(made.func).endswith("InitProcessGroupKwargs"):
            continue
        timeout = argument(made, "timeout", None)
        minutes = minutes_of(site, timeout) if timeout is not None else None
        return unknown if minutes is None else Limit(f"the timeout of {told(minutes)}", minutes, True, event)
    return unknown


def told(minutes: float) -> str:
    """A timeout in words."""
    if minutes < 1 or minutes % 1:
        return f"{minutes * 60:g} seconds"
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


def minutes_of(site: Site, node: cst.BaseExpression, depth: int = 3) -> float | None:
    """The minutes in ``timedelta(...)`` where they are written out, also behind a name."""
    if isinstance(node, cst.Name) and depth:
        values = site.values_of(node)
        return minutes_of(site, values[0], depth - 1) if len(values) == 1 else None
    if not isinstance(node, cst.Call) or site.qualified(node.func) != "datetime.timedelta":
        return None
    total = 0.0
    for place, arg in enumerate(node.args):
        unit = arg.keyword.value if arg.keyword is not None else _POSITIONAL[place]
        number = _number(site, arg.value, depth)
        if number is None or unit not in _UNITS or arg.star:
            return None
        total += number * _UNITS[unit]
    return total


def _number(site: Site, node: cst.BaseExpression, depth: int) -> float | None:
    if isinstance(node, (cst.Integer, cst.Float)):
        return figures.decimal(node.value)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        left, right = _number(site, node.left, depth), _number(site, node.right, depth)
        return None if left is None or right is None else left * right
    if isinstance(node, cst.Name) and depth:
        values = site.values_of(node)
        return _number(site, values[0], depth - 1) if len(values) == 1 else None
    return None
