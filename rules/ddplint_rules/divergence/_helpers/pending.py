"""What ends a send or a receive that was only started: a wait for all that the device does, or a barrier."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Effect, Event, Walk
from ddplint.rule.code import Tree, descend, tree_of
from ddplint.rule.facts import always_after

_WHOLE_DEVICE = "whole_device"
_CLOCKS = frozenset({"record", "time", "perf_counter", "perf_counter_ns", "monotonic", "elapsed_time"})
"""Names by which the time is taken, on the host or on a stream of the device."""

_BETWEEN_TWO = frozenset({"isend", "irecv", "send", "recv"})


def is_ended_later(walk: Walk, started: Event) -> bool:
    """Whether the ranks always wait behind a start before they touch its tensor again.

    A barrier waits for a send only: whoever comes to it has received what was sent.
    """
    return any(
        started.ranks <= other.ranks and always_after(other, started) and not _is_touched(started, other)
        for other in walk.events
        if _waits(other, started)
    )


def _waits(other: Event, started: Event) -> bool:
    row = other.api
    if row is None or other.order < started.order:
        return False
    if other.effect == Effect.WAIT:
        return _WHOLE_DEVICE in row.also
    return started.label == "isend" and other.effect == Effect.COLLECTIVE and row.name.endswith(".barrier")


def _is_touched(started: Event, other: Event) -> bool:
    """Whether the tensor has another use, by its name, between the statement around the start and the wait.

    So has the time that it takes where a clock is read before the wait: it is that of the start alone.
    """
    tensor = started.given("tensor", 0)
    step = next((frame for frame in other.stack if frame.file is started.file and _beside(frame.node, started)), None)
    if step is None:
        return False
    tree, name = tree_of(started.file.module), tensor.value if isinstance(tensor, cst.Name) else ""
    between = list(_between(tree, started.node, step.node))
    return any(
        (node.value == name and _is_use(tree, node)) or node.value in _CLOCKS
        for node in between
        if isinstance(node, cst.Name)
    )


def _beside(node: cst.CSTNode, started: Event) -> bool:
    tree = tree_of(started.file.module)
    return node in tree and tree.function(node) is tree.function(started.node)


def _between(tree: Tree, start: cst.CSTNode, end: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The code from the outermost loop around the start that the end is not in, to the end."""
    loops = [one for one in tree.ancestors(start) if isinstance(one, (cst.For, cst.While))]
    first = next((one for one in reversed(loops) if not tree.contains(one, end)), start)
    since, until = tree.order(first), tree.order(end)
    for node in descend(tree.function(start) or tree.module, into_functions=False):
        if since < tree.order(node) < until:
            yield node


def _is_use(tree: Tree, name: cst.Name) -> bool:
    """Whether a name is anything but what another send or receive is given."""
    holder = tree.parent(name)
    call = tree.parent(holder) if isinstance(holder, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return not isinstance(holder, cst.Attribute) or holder.value is name
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return not (isinstance(called, cst.Name) and called.value in _BETWEEN_TWO)
