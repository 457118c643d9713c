"""Questions that code asks about a path before it acts: does it exist?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeGuard

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.rule import Event, Guard, Reason, Walk
from ddplint.source.file import SourceFile
from ddplint_rules.common.memo import kept
from ddplint_rules.common.paths import TESTS, Path, all_paths

_LOOKS = TESTS | {"isdir", "isfile", "lexists"}


def asked(walk: Walk, guard: Guard) -> Iterator[Event]:
    """The tests for a path that decide at a guard."""
    if guard.reason is not Reason.FILESYSTEM:
        return
    causes = {id(origin.node) for origin in guard.origins} | {id(node) for node in _descend(guard.node)}
    yield from (event for event in tests(walk) if id(event.node) in causes)


@kept
def tests(walk: Walk) -> list[Event]:
    """What looks whether a path is there, or what is in it."""
    return [event for event in walk.events if event.effect in ("exists", "list")]


@kept
def looked_for(walk: Walk, test: Event, rank: int) -> frozenset[Path]:
    """The paths that a test is for, as a rank sees them."""
    return all_paths(test.details.get("path"), rank)


def asked_around(event: Event) -> cst.Call | None:
    """The question ``path.exists()`` in a condition around an event."""
    site = Site(event.file, event.node)
    for step in site.tree.ancestors(event.node):
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return None
        if isinstance(step, (cst.If, cst.IfExp)) and (found := next(filter(_asks, _descend(step.test)), None)):
            return found
    return None


def _asks(node: cst.CSTNode) -> TypeGuard[cst.Call]:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    return node.func.attr.value in TESTS and not node.args


def asked_on_the_way(event: Event) -> bool:
    """Whether the way to an event leads through a condition that asks what is there already."""
    return any(_is_asked(frame.file, frame.node) for frame in event.stack)


def _is_asked(file: SourceFile, node: cst.CSTNode) -> bool:
    for step in file.ancestors(node):
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return False
        if isinstance(step, cst.If) and any(map(_looks, _descend(step.test))):
            return True
    return False


def _looks(node: cst.CSTNode) -> bool:
    func = node.func if isinstance(node, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value in _LOOKS


def refuses(test: Event, others: Iterable[Event] = ()) -> bool:
    """Whether code raises where a test for a path finds it, unless one of ``others`` finds it to be what it should be.

    ``exists(path) and not isfile(path)`` asks for a folder in the way, which no rank that writes the file makes.
    """
    site = Site(test.file, test.node)
    for step in site.tree.ancestors(test.node):
        if isinstance(step, cst.If):
            inside = site.tree.contains(step.test, test.node) and not _denied(site, step, test.node)
            if not inside or not ends_in_raise(step.body):
                return False
            beside = (other.node for other in others if other.file is test.file and other.node is not test.node)
            return not any(site.tree.contains(step.test, node) and _denied(site, step, node) for node in beside)
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return False
    return False


def found_first(test: Event, event: Event) -> bool:
    """Whether code comes to an event where a loop before it has found none of the paths that it tests for.

    ``for path in paths: if exists(path): return path``, and then ``makedirs(path)``.
    """
    here, there = test.stack[-1], event.stack[-1]
    if here.file is not there.file or here.function != there.function or test.order > event.order:
        return False
    site = Site(test.file, test.node)
    steps = list(site.tree.ancestors(test.node))
    searched = next((one for one in steps if isinstance(one, (cst.For, cst.While, cst.FunctionDef))), None)
    asked_in = next((one for one in steps if isinstance(one, cst.If)), None)
    if not isinstance(searched, cst.For) or asked_in is None or site.tree.contains(searched, event.node):
        return False
    inside = site.tree.contains(asked_in.test, test.node) and not _denied(site, asked_in, test.node)
    return inside and ends_in(asked_in.body, cst.Return)


def _denied(site: Site, statement: cst.If, node: cst.CSTNode) -> bool:
    """Whether a part of a condition is asked to be false."""
    denials = 0
    for step in site.tree.ancestors(node):
        if step is statement:
            break
        denials += isinstance(step, cst.UnaryOperation) and isinstance(step.operator, cst.Not)
    return denials % 2 == 1


def ends_in_raise(body: cst.BaseSuite) -> bool:
    """Whether whoever comes into a block leaves by an exception."""
    return ends_in(body, cst.Raise)


def ends_in(body: cst.BaseSuite, kind: type[cst.CSTNode]) -> bool:
    """Whether the last statement of a block is of a kind."""
    last = body.body[-1] if body.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else last
    return isinstance(small, kind)


def _descend(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [node]
    while stack:
        step = stack.pop()
        yield step
        stack.extend(step.children)
