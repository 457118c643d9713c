"""``def``, ``class`` and ``import``: what they bind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import libcst as cst
from libcst.helpers import get_full_name_for_node

from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    UNBOUND,
    Class,
    Const,
    Deferred,
    Either,
    External,
    Function,
    ModuleValue,
    Tuple,
    Unknown,
    Value,
)
from ddplint.analysis.interp import asides
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.models import decorators
from ddplint.analysis.models.python import imports
from ddplint.analysis.semantics.calling import registering
from ddplint.analysis.summaries import helper_modules
from ddplint.analysis.summaries.helper_modules import HelperModules
from ddplint.project.modules import Module


@dataclass(slots=True)
class Resolved(Record):
    """What imported names stand for, once they were asked for, by the key of their module."""

    life = Life.FILE
    names: dict[tuple[int, str], Value] = field(default_factory=dict)


def function(w: Interp, node: cst.FunctionDef) -> None:
    """A ``def`` statement; what only some ranks define is no entry point of all."""
    owner = w.frame.owner if w.frame.function.startswith("<class") else None
    value: Value = asides.function_value(w, node, node.name.value, owner)
    assert isinstance(value, Function)
    if w.state.mask == EVERYONE:
        w.defined.append(value)
    for decorator in reversed(node.decorators):
        value = decorators.decorate(w, w.semantics.evaluate(w, decorator.decorator), value, decorator)
    w.state.write((w.frame.scope, node.name.value), value)


def class_(w: Interp, node: cst.ClassDef) -> None:
    """A ``class`` statement: its body runs in a scope of its own, which holds the class attributes."""
    bases = tuple(_base(w, base.value) for base in node.bases if base.star == "")
    w.keep_scopes()
    scope = w.new_scope(w.frame.scope)
    made = Class(node, w.frame.module, scope, node.name.value, scope, bases)
    frame = w.frame
    saved = frame.scope, frame.function, frame.owner
    frame.scope, frame.function, frame.owner = scope, f"<class {node.name.value}>", made
    try:
        w.semantics.block(w, node.body.body)
    finally:
        frame.scope, frame.function, frame.owner = saved
    value: Value = made
    for decorator in reversed(node.decorators):
        value = _decorate_class(w, w.semantics.evaluate(w, decorator.decorator), value, decorator)
    registering.inherited(w, made, node)
    w.state.write((frame.scope, node.name.value), value)


def _base(w: Interp, node: cst.BaseExpression) -> Value:
    """A base class; one that is imported from the project stays unloaded."""
    if isinstance(node, cst.Name):
        raw = w.state.store.get((w.frame.module.scope, node.value))
        if isinstance(raw, Deferred):
            return raw
    return helper_modules.as_base(w, w.semantics.evaluate(w, node))


def _decorate_class(w: Interp, decorator: Value, value: Value, node: cst.Decorator) -> Value:
    if isinstance(decorator, External):
        return value
    result = w.semantics.call_value(w, decorator, [value], {}, node)
    return result if isinstance(result, Class) else value


def note_field(w: Interp, name: str) -> None:
    """Remember an annotated class attribute: a dataclass takes it as an argument."""
    where = (w.frame.scope, "__fields__")
    old = w.state.read(where)
    names = old.items if isinstance(old, Tuple) else ()
    w.state.write(where, Tuple((*names, Const(name))))


def import_(w: Interp, node: cst.Import) -> None:
    """``import a.b``, ``import a.b as c``."""
    for alias in node.names:
        name = get_full_name_for_node(alias.name) or ""
        imports.run_registering(w, w.project.find(name, w.frame.module))
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            _bind(w, alias.asname.name.value, module_value(w, name))
        else:
            head = name.partition(".")[0]
            _bind(w, head, module_value(w, head))


def module_value(w: Interp, name: str) -> Value:
    """A module by its absolute name: of the project, or external."""
    found = w.project.find(name, w.frame.module)
    return ModuleValue(found, found.name) if found is not None else External(name)


def import_from(w: Interp, node: cst.ImportFrom) -> None:
    """``from a import b``, ``from . import b``, ``from a import *``."""
    name = (get_full_name_for_node(node.module) or "") if node.module is not None else ""
    level = len(node.relative)
    if level:
        name = w.project.absolute(name, level, w.frame.module)
    module = w.project.find(name, w.frame.module)
    if isinstance(node.names, cst.ImportStar):
        imports.run_registering(w, module)
        _star(w, External(name) if module is None else Deferred(module, module.name, "*"))
        return
    for alias in node.names:
        inner = alias.name.value if isinstance(alias.name, cst.Name) else ""
        registering.member_imported(w, module, inner)
        target = inner
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            target = alias.asname.name.value
        if module is not None and module.key not in w.loaded:
            _bind(w, target, Deferred(module, module.name, inner))
        else:
            _bind(w, target, _member(w, module, name, inner, alias.name))


def resolve(w: Interp, deferred: Deferred, node: cst.CSTNode | None = None) -> Value:
    """What a deferred name is: now its module is loaded. ``node`` is where the name is used.

    A name that modules import from each other in a circle is nothing that is known.
    """
    names, place = w.record(Resolved).names, (deferred.module.key, deferred.name)
    known = names.get(place)
    if known is None:
        names[place] = External(f"{deferred.source}.{deferred.name}")
        known = _member(w, deferred.module, deferred.source, deferred.name, node)
        names[place] = known = settled(w, known, node)
    return known


def settled(w: Interp, value: Value, node: cst.CSTNode | None = None) -> Value:
    """A value whose deferred names are loaded, also where each arm of a choice imported the name from elsewhere."""
    if isinstance(value, Deferred):
        return w.semantics.resolve(w, value, node)
    if isinstance(value, Either):
        yes, no = settled(w, value.yes, node), settled(w, value.no, node)
        return value if yes is value.yes and no is value.no else replace(value, yes=yes, no=no)
    return value


def _member(w: Interp, module: Module | None, name: str, inner: str, node: cst.CSTNode | None) -> Value:
    """A name of a module; ``node`` is where it is imported, for a module from outside."""
    if module is None:
        found = w.project.find(f"{name}.{inner}", w.frame.module) if name else None
        if found is not None:
            return ModuleValue(found, found.name)
        full = f"{name}.{inner}"
        row = w.knowledge.lookup(full)
        if node is not None and row is not None and row.form in ("property", "value"):
            from ddplint.analysis.models import dispatch

            return dispatch.value_of(w, row, node, None)
        return External(full)
    w.semantics.load(w, module)
    found_value = global_of(w, module, inner)
    if found_value is not None and found_value is not UNBOUND:
        return found_value
    submodule = w.project.find(f"{module.name}.{inner}", module)
    if submodule is not None:
        return ModuleValue(submodule, submodule.name)
    starred = through_star(w, module.scope, inner)
    if starred is not None:
        return starred
    asked = from_getattr(w, module, inner, node) if node is not None else None
    return asked or _promised(w, module, inner) or External(f"{module.name}.{inner}")


def _promised(w: Interp, module: Module, name: str) -> Value | None:
    """What a module tells type checkers alone that it imports a name from: it makes the name when it is asked for."""
    unit = w.project.index.unit(module.file)
    if unit.functions.get(name) or unit.classes.get(name) or (unit.body is not None and name in unit.body.assigned):
        return None
    for one in unit.imports.get(name, ()):
        source = w.project.find(w.project.full_name(one.module, module), module) if one.optional else None
        if source is not None and source is not module and one.member:
            return resolve(w, Deferred(source, source.name, one.member))
    return None


def global_of(w: Interp, module: Module, name: str) -> Value | None:
    """What a loaded module has under a name."""
    found = w.state.read((module.scope, name))
    if found is None or found is UNBOUND or isinstance(found, External):
        return _of_silent(w, module, name) or found
    return found


_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)


def _of_silent(w: Interp, module: Module, name: str) -> Value | None:
    """A helper that only decides by what it is given, from a module that is otherwise left alone."""
    known = w.record(HelperModules)
    if known.plain.get(module.name) is not module:
        return None
    names = w.project.index.simple(module.file, name)
    tree = module.tree() if names else None
    if tree is None:
        return None
    definitions = [one for one in tree.body if isinstance(one, _DEFINITIONS) and one.name.value in names]
    known.keys.add(module.key)
    with asides.out_of_sight(w, module):
        w.semantics.block(w, definitions)
    return w.state.read((module.scope, name))


def _star(w: Interp, more: Deferred | External) -> None:
    """``from module import *``: remembered; the module is loaded when a name is found nowhere else."""
    where = (w.frame.scope, "*")
    old = w.state.read(where)
    w.state.write(where, Tuple((*old.items, more) if isinstance(old, Tuple) else (more,)))


def through_star(w: Interp, scope: int, name: str, depth: int = 0) -> Value | None:
    """A name that a star import brings into a module's scope."""
    sources = w.state.read((scope, "*"))
    if not isinstance(sources, Tuple) or depth > 8 or name.startswith("_"):
        return None
    for source in sources.items:
        if isinstance(source, External):
            if w.knowledge.knows(f"{source.name}.{name}"):
                return External(f"{source.name}.{name}")
            continue
        assert isinstance(source, Deferred)
        w.semantics.load(w, source.module)
        found = w.state.read((source.module.scope, name))
        if found is None or found is UNBOUND:
            found = through_star(w, source.module.scope, name, depth + 1)
        if found is not None:
            return settled(w, found)
    return None


def from_getattr(w: Interp, module: Module, name: str, node: cst.CSTNode) -> Value | None:
    """What a module's own ``__getattr__`` gives for a name; None where it has none."""
    function = w.state.read((module.scope, "__getattr__"))
    if function is None or function is UNBOUND:
        return None
    found: list[Value] = []
    mask = w.state.mask
    with w.saved(mask=mask):  # who asks for a name gets one
        nodes = w.trace_of(lambda: found.append(w.semantics.call_value(w, function, [Const(name)], {}, node)))
        left = mask & ~w.state.mask
    if left or isinstance(found[0], Unknown):
        return Unknown(symbol("attr", module.name, name))
    w.state.trace += nodes
    return found[0]


def _bind(w: Interp, name: str, value: Value) -> None:
    w.state.write((w.frame.outer_names.get(name, w.frame.scope), name), value)
