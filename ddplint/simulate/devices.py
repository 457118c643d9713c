"""The device of a process by its number: ``f"cuda:{rank}"``, ``"cuda:%d" % rank``, ``torch.device("cuda", rank)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint.simulate.values import Const, PerRank, Value

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.simulate.walker import Walker

__all__ = ["note_move", "note_name", "note_number"]

_NAME = re.compile(r"(?:cuda|gpu|hpu|mlu|musa|npu|xpu):(\d+)")

_MOVES = frozenset({"cuda", "to"})


def note_name(w: Walker, node: cst.CSTNode, made_of: Sequence[Value], text: Value) -> None:
    """Report a text that is put together here, and names another device on each rank."""
    numbers = _numbers(text)
    if numbers is not None and all(_numbers(part) is None for part in made_of):
        w.emit("torch.device", "name_device", node, args=(numbers,))


def note_number(w: Walker, node: cst.CSTNode, args: Sequence[Value]) -> None:
    """Report a device made of a number that is another on each rank: ``torch.device("cuda", rank)``."""
    _note(w, "torch.device", node, args)


def note_move(w: Walker, node: cst.CSTNode, name: str, args: Sequence[Value]) -> None:
    """Report what goes to a device by a number: ``model.to(rank)``, ``model.cuda(rank)``."""
    if name in _MOVES:
        _note(w, name, node, args[:1])


def _note(w: Walker, name: str, node: cst.CSTNode, args: Sequence[Value]) -> None:
    for value in args:
        if isinstance(value, PerRank) and all(map(_is_number, value.values)):
            w.emit(name, "name_device", node, args=(value,))


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) is int


def _numbers(text: Value) -> PerRank | None:
    """The numbers of the devices that a text names on the ranks."""
    if not isinstance(text, PerRank):
        return None
    texts = [one.value for one in text.values if isinstance(one, Const) and isinstance(one.value, str)]
    names = [name for name in map(_NAME.fullmatch, texts) if name is not None]
    return PerRank(tuple(Const(int(name[1])) for name in names), text.trail) if len(names) == len(text.values) else None
