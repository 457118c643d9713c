"""Which device NCCL would take, and how the binding gets before the process group."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from ddplint.findings.edits import Edit, InsertBefore, ReplaceStatements
from ddplint.fixing.code.depends import assigned_paths, may_read, reads
from ddplint.fixing.code.shape import with_leading
from ddplint.fixing.recipes.builders import CannotBuild, Site
from ddplint.knowledge import rank_words
from ddplint.rule import Const, Effect, Event, PerRank, Symbol, Unknown, Value, Walk
from ddplint.source.ancestry import Statement, descend, tree_of
from ddplint.source.tree import dotted
from ddplint_rules.common.calls import INIT

__all__ = [
    "asks_the_current_device",
    "asks_the_group",
    "backend_of",
    "bindings",
    "hides_devices",
    "moved_up",
    "with_its_test",
]

_INITS = {INIT: ("backend", ""), "deepspeed.comm.init_distributed": ("dist_backend", "nccl")}
"""What makes the default process group, the argument that names the backend, and what it is by default."""


_PURE = frozenset({"int", "str", "float", "os.environ.get", "os.getenv", "torch.device", "environ.get", "getenv"})


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
    if rank_words.LOCAL_RANK.search(frame.file.module.code_for_node(around.test)) is None:
        return binding
    return replace(binding, stack=(*binding.stack[:-1], replace(frame, node=around)))


def moved_up(init: Event, binding: Event) -> tuple[Edit, ...]:
    """The binding and the plain assignments it needs, moved above the creation of the group.

    Raises :class:`CannotBuild` where something between the two takes part.
    """
    site = Site(init.file, init.node)
    if binding.file is not init.file or not isinstance(binding.node, cst.Call):
        raise CannotBuild("bind the device before init_process_group")
    first, last = site.statement, site.tree.statement(binding.node)
    block = site.tree.block(first)
    if any(not _harmless(node) for arg in binding.node.args for node in descend(arg)):
        raise CannotBuild("the number of the device is worked out from the process group")
    lines = list(getattr(block, "body", ()))
    if block is None or first not in lines or last not in lines:
        raise CannotBuild("bind the device before init_process_group")
    between = lines[lines.index(first) + 1 : lines.index(last)]
    moved = [*_needed(between, last), last]
    if any(_reads_any(first, line) for line in moved):
        raise CannotBuild("bind the device before init_process_group")
    stays = [line for line in between if line not in moved]
    if any(_reads_any(line, other) for other in moved for line in stays):
        raise CannotBuild("the number of the device is worked out between the two")
    gone = [ReplaceStatements(init.file, line, ()) for line in moved]
    above = tuple(with_leading(line, []) for line in moved if isinstance(line, cst.BaseStatement))
    return (InsertBefore(init.file, first, above), *gone)


def _needed(between: list[Statement], last: Statement) -> list[Statement]:
    """The assignments between the two on which the binding hangs, in order."""
    wanted, needed = reads(last), []
    for line in reversed(between):
        if any(may_read(assigned_paths([line]), path) for path in wanted):
            if not _pure(line):
                raise CannotBuild("the number of the device is worked out from the process group")
            needed.append(line)
            wanted |= reads(line)
    return needed[::-1]


def _pure(line: Statement) -> bool:
    if not (isinstance(line, cst.SimpleStatementLine) and all(isinstance(small, cst.Assign) for small in line.body)):
        return False
    return all(map(_harmless, descend(line)))


def _harmless(node: cst.CSTNode) -> bool:
    return not isinstance(node, cst.Call) or dotted(node.func) in _PURE


def _reads_any(line: Statement, other: Statement) -> bool:
    """Whether ``line`` makes or changes something that ``other`` reads."""
    made = assigned_paths([line])
    return any(may_read(made, path) for path in reads(other))
