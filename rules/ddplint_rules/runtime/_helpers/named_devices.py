"""Programs that name the device of each process where they need it, and never bind the process to it."""

from __future__ import annotations

import re

import libcst as cst

from ddplint.rule import Effect, Event, Walk
from ddplint.rule.code import Site, descend
from ddplint.rule.facts import bindings, numbers_of_node
from ddplint.rule.knowledge import load_knowledge

_OWN = load_knowledge().quiet("binds_devices")
_MAY = "|".join(sorted(load_knowledge().quiet("binds_devices", "may_bind_devices")))
_BINDERS = re.compile(rf"^\s*(?:from|import)\s+(?:{_MAY})\b", re.MULTILINE)
"""Imports of what may bind the process itself."""


def named_instead(walk: Walk, init: Event) -> Event | None:
    """What names the device of the process by its number on the node, in a program that binds nothing to it."""
    if any(event.api is not None and event.api.framework in _OWN for event in walk.events):
        return None
    for event in walk.events:
        if event.order > init.order and any(True for _ in numbers_of_node(event)):
            files = [walk.file, *(frame.file for step in (event, init) for frame in step.stack)]
            return None if any(_BINDERS.search(file.text) is not None for file in files) else event
    return None


def moved_before_bound(walk: Walk) -> tuple[Event, Event] | None:
    """What each process sends to the current device while that is still the first one, and where it is bound later."""
    first = next(iter(bindings(walk)), None)
    if first is None or not _binds_for_good(first):
        return None
    before = [event for event in walk.events if event.order < first.order]
    if any(event.api is not None and event.api.framework in _OWN for event in before):
        return None
    if any(sent_before(walk, init, first) is not None for init in walk.doing(Effect.INIT)):
        return None  # the collective of what went there says it
    for event in before:
        if event.effect == Effect.USE_DEVICE and event.by_all and walk.run_together(event):
            return event, first
    return None


def _binds_for_good(binding: Event) -> bool:
    """Whether each process of a node is bound to a GPU of its own from here on."""
    scoped = binding.name.endswith("cuda.device")
    return (
        binding.effect == Effect.BIND_DEVICE
        and binding.by_all
        and not scoped
        and any(True for _ in numbers_of_node(binding))
    )


def sent_before(walk: Walk, init: Event, binding: Event) -> tuple[Event, Event] | None:
    """A collective between a group and the binding of the device, and what moves its tensor to the current one."""
    if not any(True for _ in numbers_of_node(binding)):
        return None
    between = [event for event in walk.events if init.order < event.order < binding.order]
    moves = [event for event in between if event.effect == Effect.USE_DEVICE and event.by_all]
    for event in between if moves else ():
        if event.effect != Effect.COLLECTIVE or event.group or not event.by_all or event.path != binding.path:
            continue
        for moved in moves:
            if moved.order < event.order and moved.path == event.path and _is_of(event, moved):
                return event, moved
    return None


def _is_of(collective: Event, moved: Event) -> bool:
    """Whether the tensor of a collective is what was moved: the call itself, or the one value of a variable."""
    call = collective.node
    if not isinstance(call, cst.Call) or not call.args or collective.file is not moved.file:
        return False
    tensor = call.args[0].value
    if isinstance(tensor, cst.Name):
        values = Site(collective.file, call).values_of(tensor)
        if len(values) != 1:
            return False
        tensor = values[0]
    return any(node is moved.node for node in descend(tensor))
