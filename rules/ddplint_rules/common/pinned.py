"""What every process puts on one and the same GPU, in a program where each process has a GPU of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ddplint.rule import Const, Container, Event, Value, Walk
from ddplint_rules.common import multiplicity
from ddplint_rules.common.device_numbers import numbers_of_node
from ddplint_rules.common.devices import hides_devices
from ddplint_rules.common.memo import kept

__all__ = ["has_own", "number_of", "pinned"]

_NAME = re.compile(r"cuda:(\d+)")

_WHOLE = Const("")
"""What a map of devices calls the whole model."""

_ONE_NODE = frozenset({0, 1})
"""Ranks of one imagined node."""


def pinned(walk: Walk) -> Iterator[tuple[Event, int, Event]]:
    """Moves and loads to a device whose number is the same on all ranks: what, the number, a device by local rank."""
    for event in walk.events:
        number = _given(event)
        if number is None or not event.ranks >= _ONE_NODE or not multiplicity.run_together(walk, event):
            continue
        beside = _own_beside(walk, event)
        if beside is not None:
            yield event, number, beside


def has_own(walk: Walk, event: Event) -> bool:
    """Whether the processes of a node have a GPU each where the event happens."""
    return _own_beside(walk, event) is not None


def _own_beside(walk: Walk, event: Event) -> Event | None:
    return next((one for one in _own(walk) if multiplicity.agree(one.together, event.together)), None)


@kept
def _own(walk: Walk) -> list[Event]:
    """What gets the device of the local rank; nothing where a process sees one GPU only."""
    if any(map(hides_devices, walk.events)):
        return []
    return [event for event in walk.events if any(True for _ in numbers_of_node(event))]


def number_of(value: Value | None) -> int | None:
    """The number that a device has on all ranks: ``"cuda:0"``."""
    name = _NAME.fullmatch(value.value) if isinstance(value, Const) and isinstance(value.value, str) else None
    return int(name[1]) if name is not None else None


def _given(event: Event) -> int | None:
    """The number of the one device that a call is told."""
    if event.effect == "name_device" and isinstance(event.args[0], Const):
        return int(event.args[0].value)
    mapped = event.kwargs.get("device_map")
    if not isinstance(mapped, Container):
        return number_of(mapped)
    content = event.details.get("content", ())
    places = [value for key, value in pairwise(content) if key == _WHOLE]
    return _number(places[0]) if len(places) == 1 else None


def _number(value: Value) -> int | None:
    if isinstance(value, Const) and type(value.value) is int:
        return int(value.value)
    return number_of(value)
