"""What modules hold that hold others: the members of a ``ModuleList``, ``ModuleDict`` or ``Sequential``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain.term import Method
from ddplint.analysis.domain.values import Container, Instance, Object, Tuple, Unknown, Value, Wrapped, unknown
from ddplint.analysis.memory.records import Life, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ddplint.analysis.domain.symbols import Symbol
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class Drawn(Record):
    """``made`` is what comprehensions have put into containers any number of times, by the container; ``added`` what
    methods have put into modules; ``of`` is what loops have taken something unknown out of."""

    life = Life.FILE
    made: dict[int, Value] = field(default_factory=dict)
    added: dict[int, list[Value]] = field(default_factory=dict)
    of: dict[Symbol, Value] = field(default_factory=dict)


_HOLDERS = frozenset({"torch.nn.ModuleDict", "torch.nn.ModuleList", "torch.nn.Sequential"})
_PUTS = frozenset({"append", "extend", "insert", "update", "add_module", "__setitem__"})
_HANDS_OUT = frozenset(
    {"children", "items", "modules", "named_children", "named_modules", "named_parameters", "parameters", "values"}
)


def is_holder(value: Value) -> bool:
    """Whether it is a module of torch that holds others, under numbers or names."""
    return isinstance(value, Object) and value.name in _HOLDERS


def _is_module(value: Value) -> bool:
    return isinstance(value, (Instance, Wrapped)) or (isinstance(value, Object) and value.name.startswith("torch.nn."))


def note_made(w: Interp, made: Value, found: Sequence[Value]) -> None:
    """A comprehension has filled a container: remember the module that it makes each time."""
    each = {one.items[1] if isinstance(one, Tuple) and len(one.items) == 2 else one for one in found}
    only = next(iter(each)) if len(each) == 1 else None
    if isinstance(made, Container) and only is not None and _is_module(only):
        w.record(Drawn).made[made.id] = only


def note_added(w: Interp, holder: Object, method: str, args: Sequence[Value]) -> None:
    """A method of a module puts modules into it."""
    if method in _PUTS and is_holder(holder):
        w.record(Drawn).added.setdefault(holder.id, []).extend(args)


def note_drawn(w: Interp, element: Value, source: Value) -> None:
    """A loop takes something unknown out of what a module hands out."""
    if isinstance(element, Unknown) and (
        is_holder(source)
        or (isinstance(source, Unknown) and isinstance(source.symbol, Method) and source.symbol.name in _HANDS_OUT)
    ):
        w.record(Drawn).of[element.symbol] = source


def given(w: Interp, holder: Object) -> list[Value]:
    """What a module was made with, and what was put into it."""
    put = w.record(Drawn).added.get(holder.id, [])
    return [*holder.args, *(value for _, value in holder.kwargs), *put]


def sample(w: Interp, holder: Object) -> Value:
    """A member of which nobody knows which one it is: the module that all are made like, where there is one."""
    made = [w.record(Drawn).made.get(one.id, one) if isinstance(one, Container) else one for one in given(w, holder)]
    if made and all(map(_is_module, made)) and len({_class_of(one) for one in made}) == 1:
        return made[0]
    return unknown("element")


def _class_of(module: Value) -> object:
    return module.cls if isinstance(module, Instance) else module.name if isinstance(module, Object) else module
