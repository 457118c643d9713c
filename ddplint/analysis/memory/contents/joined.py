"""What lists of unknown length were put together from: ``[*body.parameters(), *head.parameters()]``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Container, Tuple, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record


@dataclass(slots=True)
class Joined(Record):
    """What is in lists whose elements nobody can count, by the list."""

    life = Life.FILE
    of: dict[int, list[Value]] = field(default_factory=dict)


def note(w: Interp, made: Value, parts: Iterable[Value]) -> None:
    """A list was put together from ``parts``, or these were added to it."""
    if isinstance(made, Container) and not isinstance(w.state.read((made.id, "")), Tuple):
        w.record(Joined).of.setdefault(made.id, []).extend(parts)


def parts_of(w: Interp, made: Container) -> list[Value]:
    """What a list of unknown length was put together from, as far as somebody noted it."""
    return w.record(Joined).of.get(made.id, [])


def handed_over(w: Interp, args: Args, kwargs: Kwargs) -> list[Value]:
    """The arguments of a call in their order; of ``f(*values)``, which nobody can count, what they come from."""
    return [*args, *(pieces_of(w, kwargs["*"]) if "*" in kwargs else ())]


def pieces_of(w: Interp, value: Value) -> list[Value]:
    """What a list of unknown length was put together from; anything else as it is."""
    return (parts_of(w, value) if isinstance(value, Container) else []) or [value]
