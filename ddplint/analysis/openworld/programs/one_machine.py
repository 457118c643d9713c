"""Programs whose ranks meet at an address of the machine itself: all of them see one disk."""

from __future__ import annotations

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.trace.events import Event

_LOOPBACK = ("127.0.0.1", "localhost", "0.0.0.0", "::1")


def is_on_one_machine(w: Interp) -> bool:
    """Whether the group was made, or is to be made, at an address that no other machine has."""
    return any(map(_names_itself, w.events))


def _names_itself(event: Event) -> bool:
    if event.effect == Effect.SET_ENV:
        return event.args[:1] == (Const("MASTER_ADDR"),) and _is_own(event.args[1:2], exactly=True)
    method = event.kwargs.get("init_method", event.args[1] if len(event.args) > 1 else None)
    return event.effect == Effect.INIT and method is not None and _is_own((method,), exactly=False)


def _is_own(values: tuple[object, ...], *, exactly: bool) -> bool:
    text = values[0].value if values and isinstance(values[0], Const) else None
    if not isinstance(text, str):
        return False
    return text in _LOOPBACK if exactly else any(f"//{name}" in text for name in _LOOPBACK)
