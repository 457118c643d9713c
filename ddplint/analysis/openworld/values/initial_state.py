"""What a name holds until somebody sets it: ``_GROUP = None`` in a module, ``self._trainer = None`` in an object.

The beginning of a program is walked with what stands there. A function that something else calls, at a time of its
own, may find that another function has set the name meanwhile: that it is ``None`` (or a flag as it was at first) is
not known there, or every ``assert self._trainer is not None`` would end such a walk. Nor is it known that a list is
empty which other methods fill; and where another method puts a wrapper into the place of a model, it has done so. What
is made when it is first asked for (``if _GROUP is None: _GROUP = make()``, and ``return _GROUP``) stays as it is: how
it is made is walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    UNBOUND,
    Class,
    Const,
    Container,
    External,
    Instance,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.interp import asides
from ddplint.analysis.memory import classes, containers, wrapping
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.openworld.values import type_hints
from ddplint.project.index.records import NOTHING
from ddplint.project.index.units import Unit
from ddplint.project.modules import Module
from ddplint.source.ancestry import descend
from ddplint.source.tree import children
from ddplint.source.tree_codec import may_hold

Name = Callable[[cst.CSTNode], "str | None"]

BEGINS = frozenset({"__init__", "__new__", "__post_init__", "__setstate__"})
"""The methods that make an object."""
_FILLS = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})


@dataclass(slots=True)
class LaterWrites(Record):
    """What is set behind the back of an entry: ``by_signal`` handlers, by methods that put a wrapper into their model's
    place (``wrapped``), by any method of a class (``fields``, ``filled``; by the key of the class)."""

    life = Life.FILE
    by_signal: dict[tuple[int, str], Varying] = field(default_factory=dict)
    wrapped: dict[tuple[int, str], Value] = field(default_factory=dict)
    fields: dict[int, frozenset[str]] = field(default_factory=dict)
    filled: dict[int, frozenset[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Beginning(Record):
    """Whether the program's beginning is ``over``, so that functions are entered from nowhere, and until then the
    ``modules`` whose names are still as they were left."""

    life = Life.FILE
    over: bool = False
    modules: list[Module] = field(default_factory=list)


def loaded(w: Interp, module: Module) -> None:
    """The body of a module has run: its placeholders are open at once where functions are being entered already."""
    if w.record(Beginning).over:
        _open_module(w, module)
    else:
        w.record(Beginning).modules.append(module)


def enter_apart(w: Interp) -> None:
    """From now on functions are entered from nowhere: what other functions set may have been set."""
    w.record(Beginning).over = True
    for module in w.record(Beginning).modules:
        _open_module(w, module)
    w.record(Beginning).modules.clear()


def _open_module(w: Interp, module: Module) -> None:
    if module.set_later is None:
        tree = module.tree() if "global " in module.text else None
        by_itself = _by_global(tree) if tree is not None else frozenset()
        module.set_later = by_itself | _from_outside(w.project.index.unit(module.file))
    for name in module.set_later:
        held = w.state.store.get((module.scope, name))
        if _is_placeholder(held):
            w.state.write((module.scope, name), Unknown(symbol("set later", module.name, name)))
        elif isinstance(held, Const) and type(held.value) is int:
            w.state.write((module.scope, name), _number_set_later(w, module, name))


def _from_outside(unit: Unit) -> frozenset[str]:
    """The names that a module leaves at ``None`` for others to set (``comm.GROUP = group``): its own functions ask for
    them, and nothing in it sets them.
    """
    body = unit.body
    if body is None:
        return frozenset()
    own = [one for many in unit.functions.values() for one in many if not one.is_body]
    asked = {name for one in own for pair in one.record.compared if NOTHING in pair for name in pair}
    left = {name for name, ways in body.assigned.items() if ways == [NOTHING]} & asked
    return frozenset(left) - unit.imports.keys() - {name for one in own for name in one.assigned}


_PLACES = frozenset({"rank_source", "uniform_source"})


def _number_set_later(w: Interp, module: Module, name: str) -> Value:
    """What a number is that functions of its module set: the rank, where one of them asks for it, or not known."""
    tree = module.tree()
    for call in _calls_set_to(tree, name) if tree is not None else ():
        with asides.out_of_sight(w, module):
            asked = w.semantics.evaluate(w, call.func)
            row = w.knowledge.lookup(asked.name) if isinstance(asked, External) else None
            if row is not None and row.kind in _PLACES:
                return w.semantics.call_value(w, asked, [], {}, call)
    return Unknown(symbol("set later", module.name, name.lower()))


def _calls_set_to(tree: cst.Module, name: str) -> Iterator[cst.Call]:
    """The calls without arguments whose result functions give to a name."""
    for function in _functions(tree):
        if name not in globals_of(function):
            continue
        for node in descend(function.body, into_functions=False):
            if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call) or node.value.args:
                continue
            if any(isinstance(one.target, cst.Name) and one.target.value == name for one in node.targets):
                yield node.value


def open_instance(w: Interp, instance: Instance, method: str) -> None:
    """An object that a method is entered on: other methods may have set what its class leaves to them.

    Parameters: ``method``, the name of the one that is entered; the one that makes the object finds it unset.
    """
    if method in BEGINS:
        return
    for cls in classes.lineage(w, instance.cls):
        for name in _set_by_methods(w, cls):
            flag = w.record(LaterWrites).by_signal.get((instance.id, name))
            if flag is not None:
                w.state.write((instance.id, name), flag)
                continue
            held = w.state.store.get((instance.id, name))
            wrapped = w.record(LaterWrites).wrapped.get((instance.id, name))
            if wrapped is not None and wrapping.wraps(wrapped, held):
                w.state.write((instance.id, name), wrapped)
            if held is None or held is UNBOUND:
                held = classes.find_in_class(w, instance.cls, name)[0]
            if _is_placeholder(held) and type_hints.of_attribute(w, instance, name) is None:
                w.state.write((instance.id, name), Unknown(symbol("set later", instance, name)))
        for name in _filled_by_methods(w, cls):
            held = w.state.store.get((instance.id, name))
            if isinstance(held, Container) and w.state.store.get((held.id, "")) == Tuple(()):
                w.state.write((held.id, ""), Unknown(symbol("filled later", instance, name)))


def open_fields(w: Interp, instance: Instance) -> None:
    """An object of a class that takes its annotated attributes as arguments, made nobody knows how."""
    for cls in classes.lineage(w, instance.cls):
        fields = w.state.store.get((cls.key, "__fields__"))
        for name in fields.items if isinstance(fields, Tuple) else ():
            assert isinstance(name, Const)
            made = containers.of_field(w, w.state.store.get((cls.key, name.value)))
            if made is not None:
                w.state.write((made.id, ""), Unknown(symbol("filled later", instance, name.value)))
                w.state.write((instance.id, name.value), made)
            if not isinstance(w.state.store.get((cls.key, name.value)), Const):
                continue
            if type_hints.of_attribute(w, instance, str(name.value)) is None:
                w.state.write((instance.id, name.value), Unknown(symbol("field", instance, name.value)))


def _is_placeholder(value: Value | None) -> bool:
    return isinstance(value, Const) and (value.value in (None, "") or isinstance(value.value, bool))


def _set_by_methods(w: Interp, cls: Class) -> frozenset[str]:
    """The attributes that methods of a class set, other than the one that makes an object."""
    found = w.record(LaterWrites).fields.get(cls.key)
    if found is None:
        found = frozenset(_of_methods(cls.node))
        w.record(LaterWrites).fields[cls.key] = found
    return found


def _filled_by_methods(w: Interp, cls: Class) -> frozenset[str]:
    """The attributes that methods of a class put something into, other than the one that makes an object."""
    found = w.record(LaterWrites).filled.get(cls.key)
    if found is None:
        methods = [one for one in cls.node.body.body if isinstance(one, cst.FunctionDef)]
        found = frozenset(
            name for one in methods if one.name.value not in BEGINS and one.params.params for name in _filled(one)
        )
        w.record(LaterWrites).filled[cls.key] = found
    return found


def _filled(method: cst.FunctionDef, *, asking: bool = True) -> Iterator[str]:
    """The attributes that a method puts something into; ``asking``: or looks something up in."""
    own = method.params.params[0].name.value
    for node in descend(method.body):
        into: cst.CSTNode | None = None
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _FILLS:
            into = node.func.value
        elif isinstance(node, (cst.AssignTarget, cst.AugAssign)) and isinstance(node.target, cst.Subscript):
            into = node.target.value
        elif isinstance(node, cst.Subscript) and asking:
            into = node.value  # a ``defaultdict`` grows when it is asked
        elif isinstance(node, cst.AugAssign):
            into = node.target
        name = _attribute(into, own) if into is not None else None
        if name is not None:
            yield name


def _of_methods(node: cst.ClassDef) -> set[str]:
    found: set[str] = set()
    lazy: set[str] = set()
    for method in node.body.body:
        if isinstance(method, cst.FunctionDef):
            made, asked = _on_its_object(method)
            found |= made if method.name.value not in BEGINS else set()
            lazy |= asked
    return found - lazy


def _by_global(tree: cst.Module) -> frozenset[str]:
    """The names of a module that its functions set by ``global``."""
    found: set[str] = set()
    lazy: set[str] = set()
    for function in _functions(tree):
        made, asked = _by_its_globals(function)
        found |= made
        lazy |= asked
    return frozenset(found - lazy)


def globals_of(function: cst.FunctionDef) -> set[str]:
    """The names of its module that a function sets."""
    return set().union(*_by_its_globals(function))


def attributes_of(method: cst.FunctionDef) -> set[str]:
    """The attributes that a method sets on its object."""
    return set().union(*_on_its_object(method))


def changed_by(method: cst.FunctionDef) -> set[str]:
    """The attributes that a method sets on its object, or puts something into."""
    return attributes_of(method).union(_filled(method, asking=False) if method.params.params else ())


def _by_its_globals(function: cst.FunctionDef) -> tuple[set[str], set[str]]:
    named = _named_global(function) if may_hold(function, cst.Global) else set()
    if not named:
        return set(), set()
    made, asked = _assigned(function, lambda one: one.value if isinstance(one, cst.Name) else None)
    return made & named, asked & named


def _on_its_object(method: cst.FunctionDef) -> tuple[set[str], set[str]]:
    if not method.params.params:
        return set(), set()
    own = method.params.params[0].name.value
    return _assigned(method, lambda one: _attribute(one, own))


def _attribute(node: cst.CSTNode, own: str) -> str | None:
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == own:
        return node.attr.value
    return None


def _assigned(function: cst.FunctionDef | cst.Lambda, name_of: Name) -> tuple[set[str], set[str]]:
    """The names that a function sets, and those that it sets where a test has just asked for them, and then returns."""
    found: set[str] = set()
    lazy: set[str] = set()
    returned: set[str] = set()
    stack: list[tuple[cst.CSTNode, frozenset[str]]] = [(function.body, frozenset())]
    while stack:
        node, tested = stack.pop()
        kind = type(node)
        if kind is cst.AssignTarget or kind is cst.AnnAssign or kind is cst.AugAssign:
            for target in _targets(node.target):  # type: ignore[attr-defined]
                name = name_of(target)
                if name is not None:
                    (lazy if name in tested else found).add(name)
        if kind is cst.Return:
            returned.update(name for one in descend(node) if (name := name_of(one)) is not None)
        if kind is cst.If:
            assert isinstance(node, cst.If)
            asked = tested.union(name for one in descend(node.test) if (name := name_of(one)) is not None)
            stack.append((node.body, asked))
            stack += [] if node.orelse is None else [(node.orelse, asked)]
        elif kind is not cst.FunctionDef and kind is not cst.ClassDef and kind is not cst.Lambda:
            stack += [(child, tested) for child in children(node)]
    return found | (lazy - returned), lazy & returned


def _targets(target: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _targets(element.value)
    else:
        yield target


def _functions(tree: cst.Module) -> Iterator[cst.FunctionDef]:
    """The functions of a module that may have a statement ``global``."""
    stack: list[cst.CSTNode] = [tree]
    while stack:
        one = stack.pop()
        if type(one) is cst.FunctionDef:
            if not may_hold(one, cst.Global):
                continue
            yield one
        stack += [child for child in children(one) if _BLOCKS[type(child)]]


def _named_global(function: cst.FunctionDef) -> set[str]:
    """The names that a function's own body declares to be those of the module."""
    found: set[str] = set()
    stack: list[cst.CSTNode] = [function.body]
    while stack:
        one = stack.pop()
        if isinstance(one, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            found.update(item.name.value for small in one.body if type(small) is cst.Global for item in small.names)
        elif type(one) is not cst.FunctionDef and type(one) is not cst.ClassDef:
            stack += [child for child in children(one) if _LINES[type(child)]]
    return found


class _Kinds(dict[type, bool]):
    """Whether statements below nodes of a class are looked at, asked once for each class."""

    def __init__(self, left_out: tuple[type[cst.CSTNode], ...]) -> None:
        self._left_out = left_out

    def __missing__(self, kind: type) -> bool:
        found = self[kind] = not issubclass(kind, self._left_out)
        return found


_LINES = _Kinds((cst.BaseExpression,))
_BLOCKS = _Kinds((cst.BaseExpression, cst.SimpleStatementLine, cst.SimpleStatementSuite))
