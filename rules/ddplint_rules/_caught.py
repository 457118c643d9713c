"""Whether the program catches what a call raises when another rank was faster."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

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
}
"""What an effect raises on all ranks but the first; other effects raise nothing."""


def is_caught(event: Event) -> bool:
    """Whether a ``try`` around the call, or around a call that leads to it, goes on after the error of a late rank."""
    names = _RAISED.get(event.effect)
    return names is not None and any(_goes_on(handler, names) for frame in event.stack for handler in _handlers(frame))


def _handlers(frame: Frame) -> Iterator[cst.ExceptHandler]:
    below = frame.node
    for step in frame.file.ancestors(frame.node):
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return
        if isinstance(step, cst.Try) and below is step.body:
            yield from step.handlers
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
