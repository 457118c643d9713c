"""Where a process may be bound to its device although the walk did not see it."""

from __future__ import annotations

import libcst as cst

from ddplint.rule import Const, Container, Event, Walk
from ddplint.rule.code import SourceFile, nodes_of


def names_device(event: Event) -> bool:
    """Whether the call that makes a group says, or may say, the device."""
    given, rest = event.kwargs.get("device_id"), event.kwargs.get("**")
    if rest is not None:
        return not isinstance(rest, Container) or any("device_id" in frame.file.text for frame in event.stack)
    return given is not None and given != Const(None)


def may_bind(walk: Walk, event: Event) -> bool:
    """Whether code that the walk did not reach may bind the device."""
    files: list[SourceFile] = [walk.file, *(frame.file for frame in event.stack)]
    return any(_binds(file.text) and _binds(_text_around(file, event)) for file in dict.fromkeys(files))


def _binds(text: str) -> bool:
    return any(word in text for word in ("set_device", "CUDA_VISIBLE_DEVICES", "device_id=", "cuda.device("))


def _text_around(file: SourceFile, event: Event) -> str:
    """A file without the classes that have no part in it: no step leads through them, and nobody else names them."""
    lines = file.text.splitlines(keepends=True)
    for cls in nodes_of(file.module, cst.ClassDef):
        first, last = file.range_of(cls).start_line, file.range_of(cls).end_line
        steps = (frame.file.range_of(frame.node).start_line for frame in event.stack if frame.file is file)
        if not _is_named(file, cls) and not any(first <= step <= last for step in steps):
            lines[first - 1 : last] = ["\n"] * (last - first + 1)
    return "".join(lines)


def _is_named(file: SourceFile, cls: cst.ClassDef) -> bool:
    """Whether something else in a file asks for a class by its name."""
    names = (name for part in file.module.body if part is not cls for name in nodes_of(part, cst.Name))
    return any(name.value == cls.name.value for name in names)
