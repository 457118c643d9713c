"""Whether the program catches what a call raises when another rank was faster, or slower."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.fixing.site import Site
from ddplint.rule import Event, Frame

__all__ = ["is_caught"]

_ANY = frozenset({"OSError", "EnvironmentError", "IOError", "error", "Exception", "BaseException"})
_THERE = _ANY | {"FileExistsError"}
_GONE = _ANY | {"FileNotFoundError"}
_RAISED = {
    "create_dir": _THERE,
    "link": _THERE,
    "delete": _GONE,
    "move": _GONE | {"FileExistsError"},
    "list": _GONE,
    "read": _GONE,
}
"""What an effect raises on a rank that comes too late, or too early; other effects raise nothing."""


def is_caught(event: Event) -> bool:
    """Whether a ``try`` around the call, or around a call that leads to it, goes on after what the rank's time raises.

    So does ``contextlib.suppress``.
    """
    names = _RAISED.get(event.effect)
    if names is None:
        return False
    for frame in event.stack:
        for found in _handlers(frame):
            if _suppresses(frame, found, names) if isinstance(found, cst.With) else _goes_on(found, names):
                return True
    return False


def _suppresses(frame: Frame, block: cst.With, names: frozenset[str]) -> bool:
    calls = [item.item for item in block.items if isinstance(item.item, cst.Call)]
    site = Site(frame.file, block)
    return any(
        _last(arg.value) in names
        for call in calls
        if site.qualified(call.func) == "contextlib.suppress"
        for arg in call.args
    )


def _handlers(frame: Frame) -> Iterator[cst.ExceptHandler | cst.With]:
    below = frame.node
    for step in frame.file.ancestors(frame.node):
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return
        if isinstance(step, cst.Try) and below is step.body:
            yield from step.handlers
        elif isinstance(step, cst.With):
            yield step
        below = step


def _goes_on(handler: cst.ExceptHandler, names: frozenset[str]) -> bool:
    caught = handler.type
    kinds = [element.value for element in caught.elements] if isinstance(caught, cst.Tuple) else [caught]
    return any(kind is None or _last(kind) in names for kind in kinds) and not _always_raises(handler.body)


def _last(node: cst.BaseExpression) -> str:
    name = node.attr if isinstance(node, cst.Attribute) else node
    return name.value if isinstance(name, cst.Name) else ""


def _always_raises(body: cst.BaseSuite) -> bool:
    lines = [line for line in body.body if isinstance(line, cst.SimpleStatementLine)]
    return any(isinstance(small, cst.Raise) for line in lines for small in line.body)
