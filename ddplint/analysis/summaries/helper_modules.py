"""Helper modules that are not about other ranks: of these only what matters is walked, as the index knows it.

Some functions matter only with what they are given: ``evaluate(model, loader)`` where the model is a wrapped one.

Of such a walk the events are kept. Where a helper raises is not, as of any other code that speaks to no rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.values import (
    EVERYONE,
    Bound,
    Class,
    Container,
    Deferred,
    Either,
    External,
    Function,
    Group,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.analysis.memory import modes, wrapping
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.project.index import library
from ddplint.project.index.mattering import MATTERING, Worth
from ddplint.project.index.purity import Reads
from ddplint.project.modules import Module
from ddplint.source.file import SourceFile

_PASSES = frozenset({"__call__", "backward", "forward", "join", "no_sync", "step"})
"""Methods of wrapped models that are something between ranks, or say how the next one is."""


@dataclass(slots=True)
class HelperModules(Record):
    """Modules that are not about ranks: ``keys`` of those that are walked quietly, ``plain`` by name.

    ``given`` are the definitions that are walked only with what matters, by the key of the module and the name.
    """

    life = Life.FILE
    keys: set[int] = field(default_factory=set)
    plain: dict[str, Module] = field(default_factory=dict)
    given: dict[tuple[int, str], Worth] = field(default_factory=dict)


@dataclass(slots=True)
class Unheard(Record):
    """In how many functions the walk is of which the index knows that they speak to nobody."""

    life = Life.SCOPED
    depth: int = 0


def is_unheard(w: Interp) -> bool:
    """Whether a call of something unknown speaks to nobody here."""
    return w.frame.module.key in w.record(HelperModules).keys or w.record(Unheard).depth > 0


def is_worth_it(w: Interp, module: Module) -> bool:
    """Whether anything in a helper module matters to a walk; of what is too large to be looked at nobody knows."""
    return module.is_large or bool(w.project.worth(module))


def is_led_to(w: Interp, module: Module) -> bool:
    """Whether calls lead from the file that is walked to what speaks to other ranks, or writes, in a module."""
    return w.home is not None and w.project.leads_to(w.home.file, module)


def keep_those_that_work(w: Interp, module: Module, tree: cst.Module) -> None:
    """Take all functions and classes of a loaded module for outside ones, but those that matter.

    Parameters: ``tree``, the module, whose body has been run in its scope.
    """
    known, worth = w.record(HelperModules), w.project.worth(module)
    known.keys.add(module.key)
    known.given.update({(module.key, name): one for name, one in worth.items() if not one.always})
    for one in tree.body:
        if isinstance(one, (cst.FunctionDef, cst.ClassDef)) and one.name.value not in worth:
            w.state.write((module.scope, one.name.value), External(f"{module.name}.{one.name.value}"))


def left_alone(
    w: Interp, definition: Function | Class, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> External | None:
    """What a definition is taken for that nothing which matters is given; ``None`` where it is to be walked."""
    given = w.record(HelperModules).given
    if not given or (definition.module.key, definition.name) not in given or _is_inner(definition):
        return None
    worth = given[definition.module.key, definition.name]
    params = _parameters(w, definition)
    values = [*args] if isinstance(definition, Function) else [None, *args]
    for number, path in worth.given:
        value = _at(number, values, kwargs, params)
        if value is not None and _matters(w, value, path.split(" ") if path else []):
            return None
    return External(f"{definition.module.name}.{definition.name}")


def asked_methods(
    w: Interp, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Iterator[tuple[Value, str]]:
    """The methods that a function which is left alone calls of what it is given, and whose they are.

    They may change it: ``def update(cfg, args): cfg.merge_from_file(args.cfg)``.
    """
    for number, path in w.record(HelperModules).given[function.module.key, function.name].given:
        value = _at(number, args, kwargs, _parameters(w, function))
        name = path[1:] if path[:1] == "." else ""
        if value is not None and name.isidentifier():
            yield w.state.narrow(value), name


def _at(number: int, args: Sequence[Value | None], kwargs: Mapping[str, Value], params: Sequence[str]) -> Value | None:
    """What a parameter is given, by its place or by its name."""
    if number < len(args):
        return args[number]
    return kwargs.get(params[number]) if number < len(params) else None


def hears_of_others(w: Interp, reads: Reads, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether a function calls something that matters of what it is given, or something of which nothing is known."""
    if reads.open:
        return True
    for number, path, known in reads.given:
        value = _at(number, args, kwargs, reads.params)
        if value is None:
            continue
        words = path.split(" ") if path else []
        if (not known and _is_open(w, value, words)) or _matters(w, value, words):
            return True
    return False


def _is_open(w: Interp, value: Value, path: list[str]) -> bool:
    """Whether nothing is known of a value, or of what stands behind it, on some path at least."""
    for way in alternatives(w.state.narrow(value)):
        if isinstance(way, (Unknown, Varying)):
            return True
        if isinstance(way, Tuple) and any(_is_open(w, one, path[1:]) for one in way.items):
            return True
        held = _held(w, way, path)
        if held is not None and _is_open(w, held, path[1:]):
            return True
    return False


def _held(w: Interp, value: Value, path: list[str]) -> Value | None:
    """What an object has under the next name of a path, or a container in it."""
    if isinstance(value, Container):
        return w.state.read((value.id, ""))
    if isinstance(value, Instance) and path and path[0][:1] == ".":
        return w.state.read((value.id, path[0][1:]))
    return None


def as_base(w: Interp, value: Value) -> Value:
    """A base class; one that is only walked with what matters is left alone here, for nothing is given yet."""
    known = w.record(HelperModules).given
    if known and isinstance(value, Class) and (value.module.key, value.name) in known:
        return External(f"{value.module.name}.{value.name}")
    return value


def _is_inner(definition: Function | Class) -> bool:
    """Whether something of that name is not the one at the top of its module."""
    if isinstance(definition, Function):
        return definition.owner is not None or definition.scope != definition.module.scope
    return False


def _parameters(w: Interp, definition: Function | Class) -> list[str]:
    unit = w.project.index.unit(definition.module.file)
    name = definition.name if isinstance(definition, Function) else f"{definition.name}.__init__"
    found = unit.functions.get(name)
    return list(found[0].record.params) if found else []


def is_heard(w: Interp, value: Value) -> bool:
    """Whether other ranks may notice something of a call of a value, of what it makes, or of what that is given."""
    if isinstance(value, Deferred):
        return value.name in w.project.worth(value.module)
    return _matters(w, value, [])


def _matters(w: Interp, value: Value, path: list[str]) -> bool:
    """Whether a call of a value, or of what stands behind it, may matter to other ranks."""
    value = w.state.narrow(value)
    if isinstance(value, (Group, OnRanks)):
        return True
    if isinstance(value, Wrapped):
        return _wrapper_matters(w, value, path)
    if isinstance(value, Either):
        return _matters(w, value.yes, path) or _matters(w, value.no, path)
    if isinstance(value, PerRank):
        return any(_matters(w, one, path) for one in value.values)
    if isinstance(value, Container):
        content = w.state.read((value.id, ""))
        return content is not None and _matters(w, content, path)
    if isinstance(value, Tuple):
        return any(_matters(w, one, path[1:]) for one in value.items)
    if isinstance(value, (Bound, Partial)):
        return _matters(w, value.function, path)
    if isinstance(value, Function):
        return _function_matters(w, value)
    if isinstance(value, (Instance, Class)):
        held = _held(w, value, path)
        return _object_matters(w, value, path) if held is None else _matters(w, held, path[1:])
    return _outside_matters(w, value, path)


def _wrapper_matters(w: Interp, model: Wrapped, path: list[str]) -> bool:
    """Whether what is asked of a wrapped model is something between ranks, or goes past the wrapper in a training step.

    A method that wrappers do not have ends the program, which only says something where all ranks call it.
    """
    name = path[0].lstrip(".") if path else ""
    if name == "module":
        return not modes.flag(w, "no_grad") or _matters(w, model.inner, path[1:])
    if not path or name in _PASSES or name in wrapping.methods_of(model.api):
        return True
    row = w.knowledge.lookup(f"{wrapping.class_of(model)}.{name}") or w.knowledge.any_method(name)
    if row is not None:
        return row.kind != "local"
    return w.state.mask == EVERYONE and name not in w.knowledge.quiet("same", "module_methods")


def _function_matters(w: Interp, function: Function) -> bool:
    if isinstance(function.node, cst.Lambda):
        return True
    owner = function.owner
    name = function.name if owner is None else f"{owner.name}.{function.name}"
    file = function.module.file
    return w.project.index.matters(file, name) if w.project.index.functions(file, name) else True


def _object_matters(w: Interp, value: Instance | Class, path: list[str]) -> bool:
    cls = value.cls if isinstance(value, Instance) else value
    asked = path[0][1:] if isinstance(value, Instance) and path and path[0][:1] == "." else ""
    return w.project.index.matters(cls.module.file, cls.name, asked)


def _outside_matters(w: Interp, value: Value, path: list[str]) -> bool:
    if not isinstance(value, (External, Object)):
        return False
    words = [word.lstrip(".") for word in path if word.startswith(".")]
    if isinstance(value, Object) and words[-1:] == [Effect.SET_EPOCH]:
        return True  # a sampler, or what holds one, learns the epoch
    name = ".".join([value.name, *words])
    row = w.knowledge.lookup(value.name)
    if isinstance(value, Object) and row is not None and row.kind == "wrapper":
        return True
    asked = bool(words) or isinstance(value, External)
    return asked and not MATTERING.isdisjoint(library.called(w.knowledge, name))


def is_function(w: Interp, name: str) -> bool:
    """Whether a name of a helper module that nobody walked is a function's, whatever it is spelt like."""
    source, _, own = name.rpartition(".")
    module = w.record(HelperModules).plain.get(source)
    return module is not None and bool(w.project.index.functions(module.file, own))


def class_of(w: Interp, made: Value | None) -> tuple[SourceFile, cst.ClassDef] | None:
    """The class of a helper module that an object was made from, or that a name means, though nobody walked it."""
    if not isinstance(made, (External, Object)):
        return None
    source, _, name = made.name.rpartition(".")
    module = w.record(HelperModules).plain.get(source)
    if module is None or name not in w.project.index.unit(module.file).classes:
        return None
    tree = module.tree()
    found = (one for one in tree.body if isinstance(one, cst.ClassDef) and one.name.value == name) if tree else ()
    return next(((module.file, one) for one in found), None)
