"""Which device NCCL would take, and how the binding gets before the process group."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, PerRank, Unknown, Value
from ddplint.analysis.facts.calls import INIT
from ddplint.analysis.trace.events import Event, Walk
from ddplint.knowledge import rank_words
from ddplint.source.ancestry import tree_of
from ddplint.source.words import says

_INITS = {INIT: ("backend", ""), "deepspeed.comm.init_distributed": ("dist_backend", "nccl")}
"""What makes the default process group, the argument that names the backend, and what it is by default."""


def backend_of(event: Event) -> str | None:
    """The backend of a new default group: ``""`` where none is given, ``None`` where it is not known.

    DeepSpeed takes that of the accelerator where none is given, which is NCCL.
    """
    name, default = _INITS.get(event.name, ("backend", ""))
    given = event.kwargs.get(name, event.args[0] if event.args else Const(default))
    return given.value if isinstance(given, Const) and isinstance(given.value, str) else None


def bindings(walk: Walk) -> list[Event]:
    """What binds the process to a device, or hides the other ones from it."""
    return [event for event in walk.events if event.effect == Effect.BIND_DEVICE or hides_devices(event)]


def hides_devices(event: Event) -> bool:
    """Whether it says which devices the process may see."""
    return event.effect == Effect.SET_ENV and event.args[:1] == (Const("CUDA_VISIBLE_DEVICES"),)


def asks_the_current_device(event: Event) -> bool:
    """Whether an operation on the default group communicates on the process's current device."""
    if event.effect != Effect.COLLECTIVE or event.api is None or event.group:
        return False
    if "current_device" in event.api.also:
        return True
    last = event.name.rpartition(".")[2] if event.api.framework == "torch" else ""
    given: Value | None = event.kwargs.get("device_ids") or event.kwargs.get("device")
    return (last == "barrier" or last.endswith(("_object", "_object_list"))) and given is None


def asks_the_group(binding: Event) -> bool:
    """Whether the number of the device comes from a rank that only the process group tells."""
    return any(_is_of_group(value) for value in (*binding.args, *binding.kwargs.values()))


def _is_of_group(value: object, depth: int = 8) -> bool:
    if isinstance(value, PerRank):
        origins = value.trail.links() if value.trail is not None else ()
        return any(origin.text == "torch.distributed.get_rank" for origin in origins)
    term = value.symbol if isinstance(value, Unknown) else value
    return depth > 0 and isinstance(term, Symbol) and any(_is_of_group(one, depth - 1) for one in term.whole.parts)


def with_its_test(binding: Event) -> Event:
    """The binding together with the ``if`` around it that asks for its number."""
    frame = binding.stack[-1]
    tree = tree_of(frame.file.module)
    around = next((one for one in tree.ancestors(frame.node) if isinstance(one, cst.If)), None)
    if around is None or around.orelse is not None or not tree.contains(around.body, frame.node):
        return binding
    if not says(around.test, rank_words.LOCAL_RANK):
        return binding
    return replace(binding, stack=(*binding.stack[:-1], replace(frame, node=around)))
