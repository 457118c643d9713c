"""Locks between processes: under one, the ranks do a thing one after the other."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.tree import Tree, tree_of
from ddplint.rule import Event, Frame, Walk

__all__ = ["under_lock"]


def under_lock(walk: Walk, event: Event) -> bool:
    """Whether a rank holds a lock file when it comes to an event.

    The lock is that of a ``with`` around the event or around a call that leads to it, made there or before, or one
    that the same function took by a call.
    """
    locks = [other for other in walk.events if other.effect == "lock"]
    if any(_is_of(lock, event) for lock in locks):
        return True
    earlier = [lock for lock in locks if lock.order < event.order]
    return any(_is_held(lock, frame) for lock in earlier for frame in event.stack)


def _is_of(lock: Event, event: Event) -> bool:
    """Whether the event is the opening of the very file that is locked."""
    path = event.details.get("path")
    return event.effect in ("write", "append") and path is not None and lock.details.get("path") == path


def _is_held(lock: Event, frame: Frame) -> bool:
    taken = any(step.file is frame.file and step.function == frame.function for step in lock.stack[-1:])
    if taken and lock.api is not None and lock.api.form == "function":
        return True
    tree = tree_of(frame.file.module)
    if frame.node not in tree:
        return False
    nodes = [step.node for step in lock.stack if step.file is frame.file and step.node in tree]
    return any(_covers(tree, step, frame.node, nodes) for step in tree.ancestors(frame.node))


def _covers(tree: Tree, step: cst.CSTNode, inside: cst.CSTNode, locks: list[cst.CSTNode]) -> bool:
    if not isinstance(step, cst.With) or not tree.contains(step.body, inside):
        return False
    return any(tree.contains(item, lock) or _is_named(tree, item.item, lock) for item in step.items for lock in locks)


def _is_named(tree: Tree, manager: cst.BaseExpression, lock: cst.CSTNode) -> bool:
    """Whether a manager is the variable that a lock was assigned to."""
    statement = tree.statement(lock)
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    targets = [target.target for small in statement.body if isinstance(small, cst.Assign) for target in small.targets]
    return any(target.deep_equals(manager) for target in targets)
