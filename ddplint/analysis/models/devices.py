"""The device of a process by its number: ``f"cuda:{rank}"``, ``"cuda:%d" % rank``, ``torch.device("cuda", rank)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint.analysis.domain.join import by_rank, either
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import Const, Either, PerRank, Unknown, Value, Varying

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.interp.interpreter import Walker

__all__ = ["note_move", "note_name", "note_number", "type_of"]

_NAME = re.compile(r"(?:cuda|gpu|hpu|mlu|musa|npu|xpu):(\d+)")

_MOVES = frozenset({"cuda", "to"})
_MADE = ("call", "torch.device")


def type_of(device: Unknown | Varying) -> Value | None:
    """``torch.device("cuda", rank).type``: whatever the number, the kind is one; None for anything but a device."""
    if device.symbol.key[:2] != _MADE:
        return None
    return _type_in(next(iter(device.symbol.key[2:]), None)) or Unknown(symbol("attr", device.symbol, "type"))


def _type_in(named: object) -> Value | None:
    if isinstance(named, Const) and isinstance(named.value, str):
        return Const(named.value.partition(":")[0])
    if isinstance(named, PerRank):
        kinds = [kind for one in named.values if (kind := _type_in(one)) is not None]
        return by_rank(kinds, named.trail) if len(kinds) == len(named.values) else None
    if isinstance(named, Either) and named.local is None:
        yes, no = _type_in(named.yes), _type_in(named.no)
        return None if yes is None or no is None else either(named.symbol, yes, no)
    return None


def note_name(w: Walker, node: cst.CSTNode, made_of: Sequence[Value], text: Value) -> None:
    """Report a text that is put together here, and names another device on each rank."""
    numbers = _numbers(text)
    if numbers is not None and all(_numbers(part) is None for part in made_of):
        w.emit("torch.device", "name_device", node, args=(numbers,))


def note_number(w: Walker, node: cst.CSTNode, args: Sequence[Value]) -> None:
    """Report a device made of a number that is another on each rank: ``torch.device("cuda", rank)``."""
    for value in args:
        if _is_numbered(value):
            w.emit("torch.device", "name_device", node, args=(value,))


def note_move(w: Walker, node: cst.CSTNode, name: str, args: Sequence[Value]) -> None:
    """Report what goes to a device by a number: ``model.to(rank)``, ``model.cuda(0)``; or to the current one."""
    if name not in _MOVES:
        return
    if args[:1] == [Const("cuda")] or (not args and name == "cuda"):
        w.emit(name, "use_device", node)
    if not args:
        return
    number = Const(_number_of(args[0]))
    if number.value is not None or _is_numbered(args[0]):
        w.emit(name, "name_device", node, args=(number if number.value is not None else args[0],))


def _is_numbered(value: Value) -> bool:
    return isinstance(value, PerRank) and all(type(getattr(one, "value", None)) is int for one in value.values)


def _number_of(value: object) -> int | None:
    """The number of a device that is the same on all ranks: ``0``, ``"cuda:0"``, ``torch.device("cuda:0")``."""
    if isinstance(value, Unknown) and value.symbol.key[:2] == _MADE:
        return next((number for part in value.symbol.key[2:] if (number := _number_of(part)) is not None), None)
    if not isinstance(value, Const):
        return None
    name = _NAME.fullmatch(value.value) if isinstance(value.value, str) else None
    return int(name[1]) if name is not None else value.value if type(value.value) is int else None


def _numbers(text: Value) -> PerRank | None:
    """The numbers of the devices that a text names on the ranks."""
    if not isinstance(text, PerRank):
        return None
    texts = [one.value for one in text.values if isinstance(one, Const) and isinstance(one.value, str)]
    names = [name for name in map(_NAME.fullmatch, texts) if name is not None]
    return PerRank(tuple(Const(int(name[1])) for name in names), text.trail) if len(names) == len(text.values) else None
