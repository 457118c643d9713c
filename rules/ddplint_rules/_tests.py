"""Questions that code asks about a path before it acts: does it exist?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Event, Guard, Reason, Walk


def asked(walk: Walk, guard: Guard) -> Iterator[Event]:
    """The tests for a path that decide at a guard."""
    if guard.reason is not Reason.FILESYSTEM:
        return
    causes = {id(origin.node) for origin in guard.origins} | {id(node) for node in _descend(guard.node)}
    for event in walk.events:
        if event.effect in ("exists", "list") and id(event.node) in causes:
            yield event


def refuses(guard: Guard) -> bool:
    """Whether one way at the guard only raises."""
    statement = guard.statement
    bodies = [statement.body] if isinstance(statement, cst.If) else []
    if isinstance(statement, cst.If) and isinstance(statement.orelse, cst.Else):
        bodies.append(statement.orelse.body)
    return any(_raises(body) for body in bodies)


def _raises(body: cst.BaseSuite) -> bool:
    last = body.body[-1] if body.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else last
    return isinstance(small, cst.Raise)


def _descend(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [node]
    while stack:
        step = stack.pop()
        yield step
        stack.extend(step.children)
