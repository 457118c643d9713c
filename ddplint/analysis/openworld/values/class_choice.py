"""Objects of classes that are picked by a name which is not known: ``globals()[name](...)``, ``{"a": A}[name](...)``.

What is made so is of one of the classes that may be picked: of those that have a method that is asked for. Where that
is one, it is as if an annotation said so; of a few, each is a way that all ranks take alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst
from libcst.helpers import get_full_name_for_node

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.term import Method
from ddplint.analysis.domain.values import Class, Container, Deferred, ModuleValue, Tuple, Unknown, Value
from ddplint.analysis.memory import classes, containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.openworld.values.reflective_writes import are_globals
from ddplint.analysis.summaries import helper_modules
from ddplint.knowledge import tables

_AS_WRITTEN = frozenset({"object", "ABC", "nn.Module", "torch.nn.Module", "Module"})


@dataclass(slots=True)
class Picks(Record):
    """The classes that something picked by an unknown name may be, and those of one of which an unknown object is."""

    life = Life.FILE
    classes: dict[Symbol, tuple[Value, ...]] = field(default_factory=dict)
    objects: dict[Symbol, tuple[Value, ...]] = field(default_factory=dict)


def note(w: Interp, base: Value, found: Value) -> Value:
    """Remember what ``found``, something under a name that is not known, may be: ``base[name]``, ``base.get(name)``."""
    names = _names(w, base) if isinstance(found, Unknown) else ()
    if isinstance(found, Unknown) and 0 < len(names) <= limits.PICKED_CLASSES:
        w.record(Picks).classes[found.symbol] = names
    return found


def _names(w: Interp, base: Value) -> tuple[Value, ...]:
    """The classes that something is picked from."""
    if isinstance(base, Container):
        pairs = containers.pairs_of(w, base) or ()
        values = tuple(pair.items[1] for pair in pairs if isinstance(pair, Tuple))
        return values if len(values) == len(pairs) and all(map(_is_class, values)) else ()
    if isinstance(base, ModuleValue):
        w.semantics.load(w, base.module)
        scope = base.module.scope
    elif are_globals(base):
        scope = w.frame.module.scope
    else:
        return ()
    return tuple(value for _, value in w.state.held(scope) if _is_class(value))


def _is_class(value: Value) -> bool:
    return isinstance(value, Class) or (isinstance(value, Deferred) and value.name[:1].isupper())


def made(w: Interp, function: Value, result: Value) -> Value:
    """Remember what was made by calling one of several classes: an object of one of them."""
    if not isinstance(function, Unknown) or not isinstance(result, Unknown):
        return result
    made_by = function.symbol
    if isinstance(made_by, Method) and made_by.name == "get" and isinstance(made_by.receiver, Container):
        note(w, made_by.receiver, function)
    if function.symbol in w.record(Picks).classes:
        w.record(Picks).objects.setdefault(result.symbol, w.record(Picks).classes[function.symbol])
    return result


def classes_with(w: Interp, what: Symbol, name: str) -> list[Class]:
    """The few classes that an object may be of and that have the method; none where it may be of another."""
    found: dict[int, Class] = {}
    for value in w.record(Picks).objects.get(what, ()):
        cls = w.semantics.resolve(w, value) if isinstance(value, Deferred) else value
        if isinstance(cls, Class) and classes.find_in_class(w, cls, name)[0] is not None:
            found[cls.key] = cls
        elif not _lacks(w, cls, name):
            return []
    return list(found.values()) if len(found) <= limits.PICKED_METHODS else []


def _lacks(w: Interp, cls: Value, name: str) -> bool:
    """Whether a class in which a method was not found surely has none of that name."""
    if isinstance(cls, Class):
        return tables.names("plain_bases").issuperset(classes.external_bases(w, cls))
    known = helper_modules.class_of(w, cls)
    if known is None:
        return False
    node = known[1]
    bases = {get_full_name_for_node(base.value) for base in node.bases}
    own = (item.name.value for item in node.body.body if isinstance(item, cst.FunctionDef))
    return bases <= _AS_WRITTEN and name not in own
