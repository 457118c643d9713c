"""What modules hold that hold others: the members of a ``ModuleList``, ``ModuleDict`` or ``Sequential``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.term import Item, Method, Part, Symbol
from ddplint.analysis.domain.values import Container, Instance, Object, Tuple, Unknown, Value, Wrapped
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.summaries import helper_modules
from ddplint.knowledge import tables


@dataclass(slots=True)
class Drawn(Record):
    """``made`` is what comprehensions have put into containers any number of times, by the container; ``added`` what
    methods have put into modules; ``of`` is what loops have taken something unknown out of, and ``copied`` what
    comprehensions have taken the elements of containers out of; ``kept`` is that, by what loops have taken out of such
    a container: a copy."""

    life = Life.FILE
    made: dict[int, Value] = field(default_factory=dict)
    added: dict[int, list[Value]] = field(default_factory=dict)
    of: dict[Symbol, Value] = field(default_factory=dict)
    copied: dict[int, Value] = field(default_factory=dict)
    kept: dict[Symbol, Value] = field(default_factory=dict)


_PUTS = frozenset({"append", "extend", "insert", "update", "add_module", "__setitem__"})
_HANDS_OUT = frozenset(
    {"children", "items", "modules", "named_children", "named_modules", "named_parameters", "parameters", "values"}
)


def is_holder(value: Value) -> bool:
    """Whether it is a module of torch that holds others, under numbers or names."""
    return isinstance(value, Object) and value.name in tables.names("module_containers")


def is_unwalked(w: Interp, module: Object) -> bool:
    """Whether it is a module of the project that nobody walked, because it says nothing of other ranks."""
    found = helper_modules.class_of(w, module)
    return found is not None and any("Module" in _name(base.value) for base in found[1].bases)


def _name(base: cst.BaseExpression) -> str:
    return str(getattr(getattr(base, "attr", base), "value", ""))


def _is_module(w: Interp, value: Value) -> bool:
    if isinstance(value, Object):
        return tables.begins("layers", value.name) or is_unwalked(w, value)
    return isinstance(value, (Instance, Wrapped))


def note_made(w: Interp, made: Value, found: Sequence[Value]) -> None:
    """A comprehension has filled a container: remember the module that it makes each time."""
    each = {one.items[1] if isinstance(one, Tuple) and len(one.items) == 2 else one for one in found}
    only = next(iter(each)) if len(each) == 1 else None
    if isinstance(made, Container) and only is not None and _is_module(w, only):
        w.record(Drawn).made[made.id] = only
    elif isinstance(made, Container) and isinstance(only, Unknown):
        source = _taken_from(w, only)
        if source is not None:
            w.record(Drawn).copied[made.id] = source


def _taken_from(w: Interp, element: Unknown) -> Value | None:
    """What a loop took an element from, or a pair of which it is a part; through a copy of that: ``copy.items()``."""
    what = element.symbol
    taken = what.base if isinstance(what, Part) and isinstance(what.base, Symbol) else what
    source = w.record(Drawn).of.get(taken)
    view = source.symbol if isinstance(source, Unknown) else None
    if isinstance(view, Method) and isinstance(view.receiver, Container):
        return w.record(Drawn).copied.get(view.receiver.id)
    return source


def alike(w: Interp, given: Sequence[Value]) -> list[Value]:
    """The modules that containers were filled with any number of times."""
    known = w.record(Drawn).made
    return [known[one.id] for one in given if isinstance(one, Container) and one.id in known]


def note_added(w: Interp, holder: Object, method: str, args: Sequence[Value]) -> None:
    """A method of a module puts modules into it."""
    if method in _PUTS and is_holder(holder):
        w.record(Drawn).added.setdefault(holder.id, []).extend(args)


def drawn(w: Interp, element: Value, source: Value) -> Value:
    """What a loop takes out of something: a member of a module, where nobody knows which one, is noted as one."""
    if not isinstance(element, Unknown):
        return element
    if isinstance(source, Container) and source.id in w.record(Drawn).copied:
        w.record(Drawn).kept[element.symbol] = w.record(Drawn).copied[source.id]
    if isinstance(source, Object) and is_holder(source):
        element = sample(w, source) or element
    elif not isinstance(source, Unknown) or not _hands_out(source.symbol):
        return element
    if isinstance(element, Unknown):
        w.record(Drawn).of[element.symbol] = source
    return element


def origin(w: Interp, value: Value) -> Value:
    """What a copy was made of, where a comprehension has made copies of all parameters, or what an item is one of; any
    other value as it is."""
    what = value.symbol.whole if isinstance(value, Unknown) else None
    while isinstance(what, Method) and isinstance(what.receiver, Symbol):
        what = what.receiver.whole
    if isinstance(what, Item) and isinstance(what.base, Container):
        return w.record(Drawn).copied.get(what.base.id, what.base)
    if isinstance(what, Item) and isinstance(what.base, Symbol):
        return Unknown(what.base)
    return w.record(Drawn).kept.get(what, value) if what is not None else value


def _hands_out(what: Symbol) -> bool:
    return isinstance(what, Method) and what.name in _HANDS_OUT


def given(w: Interp, holder: Object) -> list[Value]:
    """What a module was made with, and what was put into it."""
    put = w.record(Drawn).added.get(holder.id, [])
    return [*holder.args, *(value for _, value in holder.kwargs), *put]


def sample(w: Interp, holder: Object) -> Value | None:
    """The module that all members of another one are made like."""
    made = [w.record(Drawn).made.get(one.id, one) if isinstance(one, Container) else one for one in given(w, holder)]
    alike = made and all(_is_module(w, one) for one in made) and len({_class_of(one) for one in made}) == 1
    return made[0] if alike else None


def _class_of(module: Value) -> object:
    return module.cls if isinstance(module, Instance) else module.name if isinstance(module, Object) else module
