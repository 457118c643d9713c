"""What is as long as something else: a list of its numbers, in their order or in another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.term import Call, Len, Method, Symbol
from ddplint.analysis.domain.values import NONE, Const, Container, Object, Unknown, Value
from ddplint.analysis.memory.records import Life, Record
from ddplint.knowledge import tables

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class Numbers(Record):
    """Lists of ``range(n)``: what they held when they were made, and ``n``."""

    life = Life.FILE
    of: dict[int, tuple[Value | None, Value]] = field(default_factory=dict)


def note(w: Interp, source: Value, made: Container) -> None:
    """A list was made of what ``source`` goes through."""
    if isinstance(source, Object) and source.name == "builtins.range" and source.args[:-1] in ((), (Const(0),)):
        w.record(Numbers).of[made.id] = (w.state.read((made.id, "")), source.args[-1] if source.args else NONE)


def whole_of(w: Interp, value: Value) -> Value:
    """What has as many elements: ``data`` for ``list(range(len(data)))`` and ``randperm(len(data))``; else itself."""
    found = {_whole(w, one) for one in alternatives(value)}
    return next(iter(found)) or value if len(found) == 1 else value


def _whole(w: Interp, value: Value) -> Value | None:
    if isinstance(value, Container):
        content, count = w.record(Numbers).of.get(value.id, (None, NONE))
        return _measured(count) if content is not None and w.state.read((value.id, "")) == content else None
    made = value.symbol.whole if isinstance(value, Unknown) else None
    while isinstance(made, Method) and made.name in ("numpy", "tolist") and isinstance(made.receiver, Symbol):
        made = made.receiver.whole
    if isinstance(made, Call) and made.name in tables.names("permuting") and len(made.args) == 1:
        return _measured(made.args[0])
    return None


def _measured(number: object) -> Value | None:
    """What a number is the length of."""
    length = number.symbol if isinstance(number, Unknown) else number
    if not isinstance(length, Len):
        return None
    return Unknown(length.of) if isinstance(length.of, Symbol) else None
