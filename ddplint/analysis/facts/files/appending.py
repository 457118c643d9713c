"""Files that are opened to be added to: every rank's lines stay, in whatever order, and none is lost."""

from __future__ import annotations

from ddplint.analysis.domain.values import Const, Object, Value
from ddplint.analysis.trace.events import Event
from ddplint.knowledge import tables


def adds_to(event: Event) -> bool:
    """Whether what is written goes behind what others have written: a stream opened with mode ``a``, or into one."""
    handle = event.details.get("handle")
    if isinstance(handle, Object):
        return _is_for_adding(handle.argument(-1, "mode"))
    return not tables.begins("keeps_a_table", event.name) and _is_for_adding(event.details.get("mode"))


def _is_for_adding(mode: Value | None) -> bool:
    return isinstance(mode, Const) and isinstance(mode.value, str) and "a" in mode.value
