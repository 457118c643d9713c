"""What ends a send, a receive or a collective that was only started: a wait for the whole device, or a barrier."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Const, Effect, Event, Value, Walk
from ddplint.rule.code import Tree, descend, nodes_of, tree_of
from ddplint.rule.facts import always_after, lets_be, tensors_given, with_their_lists

_WHOLE_DEVICE = "whole_device"
_CLOCKS = frozenset({"record", "time", "perf_counter", "perf_counter_ns", "monotonic", "elapsed_time"})
"""Names by which the time is taken, on the host or on a stream of the device."""

_BETWEEN_TWO = frozenset({"isend", "irecv", "send", "recv"})


def is_ended_later(walk: Walk, started: Event) -> bool:
    """Whether the ranks always wait behind a start before they touch its tensor again.

    Of sends and receives a barrier waits for a send only: whoever comes to it has received what was sent. It waits for
    all collectives of its group: measured with two processes on gloo, 20 times 20 MB, `broadcast`, `all_reduce` and
    `all_gather` were whole behind it each time, and never without.
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
        return _WHOLE_DEVICE in row.also and started.effect == Effect.POINT_TO_POINT
    if other.effect != Effect.COLLECTIVE or not row.name.endswith(".barrier"):
        return False
    if started.effect == Effect.POINT_TO_POINT:
        return started.label == "isend"
    return _group_of(started) == _group_of(other) and row.async_.of(other.args, other.kwargs) in (None, Const(False))


def _group_of(event: Event) -> Value | None:
    """The group that is given; None for all ranks."""
    given = event.api.group.of(event.args, event.kwargs) if event.api is not None else None
    return None if given == Const(None) else given


def _is_touched(started: Event, other: Event) -> bool:
    """Whether the tensor has another use, by its name, between the statement around the start and the wait.

    So has the time that it takes where a clock is read before the wait: it is that of the start alone.
    """
    step = next((frame for frame in other.stack if frame.file is started.file and _beside(frame.node, started)), None)
    if step is None:
        return started.effect == Effect.COLLECTIVE  # what is done with it on the way there is not looked at
    tree = tree_of(started.file.module)
    between = [node for node in _between(tree, started.node, step.node) if isinstance(node, cst.Name)]
    if started.effect == Effect.COLLECTIVE and started.call is not None and started.api is not None:
        tensors = with_their_lists(tree, tensors_given(started.call, started.api), between)
        own = set(map(id, nodes_of(started.call, cst.Name)))
        between = [node for node in between if id(node) not in own and not lets_be(tree, node)]
    else:
        tensor = started.given("tensor", 0)
        tensors = frozenset({tensor.value} if isinstance(tensor, cst.Name) else ())
    return any((node.value in tensors and _is_use(tree, node)) or node.value in _CLOCKS for node in between)


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
