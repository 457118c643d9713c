"""Questions that code asks about a path before it acts: does it exist?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.fixing.site import Site
from ddplint.rule import Event, Guard, Reason, Walk


def asked(walk: Walk, guard: Guard) -> Iterator[Event]:
    """The tests for a path that decide at a guard."""
    if guard.reason is not Reason.FILESYSTEM:
        return
    causes = {id(origin.node) for origin in guard.origins} | {id(node) for node in _descend(guard.node)}
    for event in walk.events:
        if event.effect in ("exists", "list") and id(event.node) in causes:
            yield event


def refuses(test: Event) -> bool:
    """Whether a test for a path decides over a ``raise``, and over nothing else."""
    site = Site(test.file, test.node)
    for step in site.tree.ancestors(test.node):
        if isinstance(step, cst.If):
            return site.tree.contains(step.test, test.node) and _raises(step.body)
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return False
    return False


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
