"""What one event does: to which path, called how, by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.values import Const, External, Function, Object

if TYPE_CHECKING:
    from ddplint.analysis.domain.facts import Event
    from ddplint.analysis.domain.values import Value


NOT_FILES = ("io.BytesIO", "io.StringIO", "io.TextIOWrapper", "tempfile.")
"""Objects that stand where a path may stand: memory, and files whose opening was an event of its own."""

_NO_PATHS = frozenset({"os.devnull", "sys.stdout", "sys.stderr"})

NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "nul"})


def target_of(event: Event) -> Value | None:
    """The path that a call writes, creates, removes or moves; ``None`` where it is not known or not a file."""
    path = event.details.get("target") or event.details.get("path")
    return path if is_path(path) else None


def is_path(value: Value | None) -> bool:
    """Whether a value may be a path in the file system."""
    if value is None or isinstance(value, Function):
        return False
    if isinstance(value, Const):
        return isinstance(value.value, str) and value.value.lower() not in NOWHERE
    if isinstance(value, External):
        return value.name not in _NO_PATHS
    return not isinstance(value, Object) or not value.name.startswith(NOT_FILES)


def place_and_caller(event: Event) -> tuple[int, int]:
    """What tells findings apart: where it happens, and the last call on the way there from another file.

    A helper that two calls of one file lead to is wrong at both, where it is the calls that are told.
    """
    outside = (frame for frame in reversed(event.stack) if frame.file is not event.file)
    caller = next(outside, None)
    return id(event.node), id(caller.node) if caller is not None else 0


def is_given(event: Event, name: str, position: int | None) -> bool:
    """Whether an argument was given and may be true."""
    value = event.kwargs.get(name)
    if value is None and position is not None and position < len(event.args):
        value = event.args[position]
    return value is not None and not (isinstance(value, Const) and not value.value)


def callee(event: Event) -> str:
    """What is called, as the file says it: ``torch.save``, ``self.tokenizer.save_pretrained``."""
    function = getattr(event.node, "func", None)
    if function is None:
        return event.label
    text = " ".join(event.file.module.code_for_node(function).split())
    return text if len(text) <= 40 else f"…{text.rpartition('.')[2]}"


def by_some(event: Event) -> bool:
    """Whether only some ranks do it, because of who they are."""
    return event.ranks != event.everyone and any(guard.reason is Reason.IDENTITY for guard in event.guards)
