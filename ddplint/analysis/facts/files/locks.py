"""Locks between processes: under one, the ranks do a thing one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.source.ancestry import Tree, tree_of
from ddplint.source.file import SourceFile
from ddplint.util.kept import kept
from ddplint.util.ranges import Range


def under_lock(walk: Walk, event: Event) -> bool:
    """Whether a rank holds a lock file when it comes to an event."""
    return any(True for _ in locks_around(walk, event))


def locks_around(walk: Walk, event: Event) -> Iterator[Event]:
    """The lock files that a rank holds when it comes to an event.

    A lock is that of a ``with`` around the event or around a call that leads to it, made there or before, or one
    that the same function took by a call.
    """
    locks = walk.doing(Effect.LOCK)
    yield from (lock for lock in locks if _is_of(lock, event))
    for lock, where in _held(walk) if locks else ():
        if lock.order < event.order and any(_covers(where, frame) for frame in event.stack):
            yield lock


@dataclass(frozen=True)
class _Where:
    """Where a lock is held: in the body of a ``with``, or in the function that took it by a call."""

    file: SourceFile
    body: Range | None
    function: str = ""


@kept
def _held(walk: Walk) -> tuple[tuple[Event, _Where], ...]:
    """The locks of a walk, and where each of them is held."""
    return tuple(_found(walk.doing(Effect.LOCK)))


def _found(locks: Sequence[Event]) -> Iterator[tuple[Event, _Where]]:
    steps: dict[SourceFile, dict[int, tuple[cst.CSTNode, list[Event]]]] = {}
    for lock in locks:
        for step in lock.stack:
            steps.setdefault(step.file, {}).setdefault(id(step.node), (step.node, []))[1].append(lock)
        if lock.stack and lock.api is not None and lock.api.form == "function":
            yield lock, _Where(lock.stack[-1].file, None, lock.stack[-1].function)
    for file, nodes in steps.items():  # each tree once: they are large
        tree = tree_of(file.module)
        for node, of_locks in nodes.values():
            for body in _bodies(tree, node) if node in tree else ():
                yield from ((lock, _Where(file, file.range_of(body))) for lock in of_locks)


def _bodies(tree: Tree, lock: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The bodies of the ``with`` statements that a lock, or the call that leads to it, stands at the head of."""
    for statement in tree.nodes(cst.With):
        if any(_is_item(tree, item, lock) for item in statement.items):
            yield statement.body


def _is_item(tree: Tree, item: cst.WithItem, lock: cst.CSTNode) -> bool:
    return tree.contains(item, lock) or _is_named(tree, item.item, lock)


def _covers(where: _Where, frame: Frame) -> bool:
    if frame.file is not where.file:
        return False
    if where.body is None:
        return frame.function == where.function
    return where.body.start_line <= frame.file.range_of(frame.node).start_line <= where.body.end_line


def _is_of(lock: Event, event: Event) -> bool:
    """Whether the event is the opening of the very file that is locked."""
    path = event.details.get("path")
    return event.effect in (Effect.WRITE, Effect.APPEND) and path is not None and lock.details.get("path") == path


def _is_named(tree: Tree, manager: cst.BaseExpression, lock: cst.CSTNode) -> bool:
    """Whether a manager is the variable that a lock was assigned to."""
    statement = tree.statement(lock)
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    targets = [target.target for small in statement.body if isinstance(small, cst.Assign) for target in small.targets]
    return any(target.deep_equals(manager) for target in targets)
