"""The members of ``torch.nn``'s containers of modules, where a pass through one of them communicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.values import Const, Container, Instance, Object, PerRank, Tuple, Value, Wrapped
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.wrapping import WrappedModels

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class Members(Record):
    """The list or dictionary that holds the members of a container of modules, by the container."""

    life = Life.FILE
    held: dict[int, Container] = field(default_factory=dict)


def inside(w: Interp, value: Value) -> Value:
    """The list or dictionary of a container of modules that ranks meet in, or that they fill differently; else itself.

    Members of classes of the project that speak to nobody stay out of sight: each would be walked for nothing.
    """
    there = held(w, value)
    if not isinstance(there, Container) or there is value:
        return value
    content = w.state.read((there.id, ""))
    plain = isinstance(content, Tuple) and not any(isinstance(one, Instance) for one in _modules(w, there, content))
    return there if plain or speaks(w, value) else value


def speaks(w: Interp, value: Value) -> bool:
    """Whether ranks meet in members of a container of modules, or some ranks fill it alone."""
    there = held(w, value)
    content = w.state.read((there.id, "")) if isinstance(there, Container) and there is not value else None
    if content is None or not isinstance(there, Container):
        return False
    return not isinstance(content, Tuple) or any(_speaks(w, one) for one in _modules(w, there, content))


def held(w: Interp, value: Value) -> Value:
    """The list or dictionary of a container of modules, whatever is in it; any other value itself."""
    return w.record(Members).held.get(value.id, value) if isinstance(value, Object) else value


def _modules(w: Interp, held: Container, content: Tuple) -> Iterator[Value]:
    for one in content.items:
        if held.kind != "dict":
            yield one
        elif isinstance(one, Const):
            yield w.state.read((held.id, f"[{one.value!r}]")) or one
        elif isinstance(one, Tuple):
            yield one.items[1]


def _speaks(w: Interp, module: Value, depth: int = 1) -> bool:
    """Whether ranks meet in a module, or in one that it has as an attribute."""
    for one in alternatives(module):
        if isinstance(one, (PerRank, Wrapped)) or one in w.record(WrappedModels).bare:
            return True
        if depth and isinstance(one, Instance):
            return any(_speaks(w, part, depth - 1) for _, part in w.state.held(one.id))
    return False
