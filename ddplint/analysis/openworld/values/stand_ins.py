"""Objects that nobody makes but somebody will: promised by annotations, or of a subclass of an abstract class."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst
from libcst.helpers import get_full_name_for_node

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.values import (
    Bound,
    Class,
    External,
    Function,
    Group,
    Instance,
    Object,
    OnRanks,
    PerRank,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.analysis.interp import asides
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Promise, Promises, Record
from ddplint.analysis.openworld.values import class_choice, initial_state, type_hints
from ddplint.knowledge import tables
from ddplint.source.tree import children

_TOLD = (Group, Instance, Object, PerRank, Varying, Wrapped)
"""What ``__init__`` sets that says something about ranks, whatever the arguments are."""


@dataclass(slots=True)
class StandIns(Record):
    """The objects that the program does not make but somebody will (by their numbers), and how many were made so.

    ``of_classes``: what stands in for one of several classes, by the unknown object and the class.
    """

    life = Life.FILE
    objects: set[int] = field(default_factory=set)
    count: int = 0
    of_classes: dict[tuple[Symbol, int], Promise] = field(default_factory=dict)


def attribute(w: Interp, base: Unknown, name: str, node: cst.CSTNode) -> Value | None:
    """A method, property or telling attribute of an unknown object whose class an annotation names; None otherwise."""
    promised = w.record(Promises).of.get(base.symbol)
    if promised is None:
        return _picked(w, base, name, node)
    cls = _class(w, promised)
    return None if cls is None else _of_class(w, base, promised, cls, name, node)


def _picked(w: Interp, base: Unknown, name: str, node: cst.CSTNode) -> Value | None:
    """The same of an object of one of several classes: with more than one that has a method, each is a way."""
    classes_with = class_choice.classes_with(w, base.symbol, name)
    if len(classes_with) == 1:
        cls = classes_with[0]
        promised = w.record(Promises).of.setdefault(base.symbol, Promise(None, cls.scope, cls, is_read=True))
        return _of_class(w, base, promised, cls, name, node)
    found: Value | None = None
    for cls in reversed(classes_with):
        one = _of_class(w, base, _promise(w, base, cls), cls, name, node)
        if isinstance(one, Bound):
            found = one if found is None else either(symbol("of class", base.symbol, cls.name), one, found)
    return found


def _promise(w: Interp, base: Unknown, cls: Class) -> Promise:
    """What stands in for an object if it is of a class."""
    known = w.record(StandIns).of_classes
    return known.setdefault((base.symbol, cls.key), Promise(None, cls.scope, cls, is_read=True))


def _of_class(w: Interp, base: Unknown, promised: Promise, cls: Class, name: str, node: cst.CSTNode) -> Value | None:
    found, _owner = classes.find_in_class(w, cls, name)
    part = type_hints.annotation_of(w, cls, name)
    if part is not None:
        type_hints.promise(w, symbol("attr", base.symbol, name), part[1], part[0].scope)
    told = _of_library(w, base, name, part) if part is not None else None
    if found is None and not _sets(w, cls, name):
        return told
    kind = classes.method_kind(w, found) if found is not None else "value"
    if kind in ("classmethod", "staticmethod"):
        return w.semantics.of_class(w, cls, name, node)
    if kind == "value":
        held = w.state.read((_object(w, promised, cls).id, name))
        known = isinstance(held, _TOLD) or (isinstance(held, Unknown) and held.symbol in w.record(Promises).of)
        return held if known else told
    method = function_of(found) if found is not None else None
    if method is None or is_left_open(method):
        return None
    instance = _object(w, promised, cls)
    initial_state.open_instance(w, instance, name)
    return w.semantics.of_instance(w, instance, name, node)


def _of_library(w: Interp, base: Unknown, name: str, part: tuple[Class, cst.BaseExpression]) -> Value | None:
    """An attribute of which an annotation names a class of a library: the same whenever it is asked for."""
    where = (w.owner(base.symbol), f"<{name}>")
    held = w.state.store.get(where)
    if held is None and (held := type_hints.value(w, part[1], part[0].scope, name)) is not None:
        w.state.hold(where, held)
    return held


def _class(w: Interp, promised: Promise) -> Class | None:
    """The class that an annotation names, or the only subclass of an abstract one that speaks to other ranks."""
    if not promised.is_read:
        promised.is_read = True
        written = promised.annotation
        named = type_hints.class_of(w, written, promised.scope) if written is not None else None
        promised.cls = the_one_that_speaks(w, named) if isinstance(named, Class) else None
    return promised.cls


def _sets(w: Interp, cls: Class, name: str) -> bool:
    """Whether some method of the class may set the attribute."""
    return any(f"self.{name}" in one.module.text for one in classes.lineage(w, cls))


def _object(w: Interp, promised: Promise, cls: Class) -> Instance:
    """The object that stands in for an unknown one, made with unknown arguments."""
    if promised.instance is not None:
        return promised.instance
    made = promised.instance = Instance(next(w.ids), cls)
    w.record(StandIns).objects.add(made.id)
    start, _owner = classes.find_in_class(w, cls, "__init__")
    if start is None:
        initial_state.open_fields(w, made)
        return made
    w.record(StandIns).count += 1
    if w.record(StandIns).count <= limits.STAND_INS:
        called, distributed = set(w.called), w.distributed
        with asides.out_of_sight(w, cls.module):
            w.semantics.call_value(w, start, [made], {}, cls.node.name)
        w.called &= called
        w.distributed = distributed
    else:
        w.limit(
            f"more than {limits.STAND_INS} objects that nobody makes here: the __init__ of further ones not followed"
        )
    return made


def to_make(w: Interp, cls: Class) -> Class:
    """The class to make an object of, where one of ``cls`` is asked for: itself, or the first whole subclass."""
    if not any(map(is_left_open, _own_methods(w, cls))):
        return cls
    return next(iter(_whole(w, cls)), cls)


def the_one_that_speaks(w: Interp, cls: Class) -> Class | None:
    """The class itself, or the only whole subclass of an open one that speaks to other ranks."""
    if not any(map(is_left_open, _own_methods(w, cls))):
        return cls
    speaking = (
        [one for one in _whole(w, cls) if _speaks(w, one)] if w.project.index.communicates(cls.module.file) else []
    )
    return speaking[0] if len(speaking) == 1 else None


def _whole(w: Interp, cls: Class) -> list[Class]:
    """The subclasses in the file of a class that leave nothing open."""
    tree = cls.module.tree()
    named = [part.name.value for part in tree.body if isinstance(part, cst.ClassDef)] if tree is not None else []
    held = [w.state.read((cls.module.scope, name)) for name in named]
    below = [one for one in held if isinstance(one, Class) and one is not cls and cls in classes.lineage(w, one)]
    return [one for one in below if not any(map(is_left_open, _all_methods(w, one)))]


_SPEAK = frozenset({"collective", "point_to_point", "rank_predicate", "rank_source"})


def _speaks(w: Interp, cls: Class) -> bool:
    """Whether a class uses what its module imports to speak to other ranks; to name a type is not to speak."""
    stack: list[cst.CSTNode] = [cls.node.body]
    while stack:
        one = stack.pop()
        if isinstance(one, (cst.Name, cst.Attribute)) and _is_of_ranks(w, cls, get_full_name_for_node(one) or ""):
            return True
        stack += [child for child in children(one) if not isinstance(child, cst.Annotation)]
    return False


def _is_of_ranks(w: Interp, cls: Class, written: str) -> bool:
    """Whether a name, as a module understands it, asks other ranks or who they are."""
    first, dot, rest = written.partition(".")
    held = w.state.read((cls.module.scope, first))
    if not isinstance(held, External):
        return False
    full = f"{held.name}{dot}{rest}"
    row = w.knowledge.lookup(full)
    return tables.begins("communication", f"{full}.") or (row is not None and row.kind in _SPEAK)


def _own_methods(w: Interp, cls: Class) -> list[Function]:
    names = [part.name.value for part in cls.node.body.body if isinstance(part, cst.FunctionDef)]
    held = [function_of(value) for name in names if (value := w.state.read((cls.key, name))) is not None]
    return [one for one in held if one is not None]


def function_of(value: Value) -> Function | None:
    """The function behind a class attribute: a method, or what a descriptor or a decorator was made of."""
    held = classes.plain(value)
    inner = held.function if isinstance(held, OnRanks) else held
    return inner if isinstance(inner, Function) else None


def _all_methods(w: Interp, cls: Class) -> list[Function]:
    """The methods that objects of a class have: each by the first class of the line that defines it."""
    found: dict[str, Function] = {}
    for one in classes.lineage(w, cls):
        for method in _own_methods(w, one):
            found.setdefault(method.name, method)
    return list(found.values())


def is_left_open(method: Function) -> bool:
    """Whether a class leaves a method to its subclasses: it is abstract, or raises ``NotImplementedError``."""
    node = method.node
    if not isinstance(node, cst.FunctionDef):
        return False
    for decorator in node.decorators:
        named = decorator.decorator
        last = named.attr if isinstance(named, cst.Attribute) else named
        if isinstance(last, cst.Name) and last.value in ("abstractmethod", "abstractproperty"):
            return True
    if isinstance(node.body, cst.SimpleStatementSuite):
        lines = list(node.body.body)
    else:
        block = node.body.body
        lines = [part for line in block if isinstance(line, cst.SimpleStatementLine) for part in line.body]
        if len(block) > 2 or len(lines) < len(block):
            return False
    last_line = lines[-1] if lines else None
    if isinstance(last_line, cst.Raise):
        raised = last_line.exc.func if isinstance(last_line.exc, cst.Call) else last_line.exc
        return isinstance(raised, cst.Name) and raised.value == "NotImplementedError"
    return isinstance(last_line, cst.Expr) and isinstance(last_line.value, (cst.Ellipsis, cst.SimpleString))
