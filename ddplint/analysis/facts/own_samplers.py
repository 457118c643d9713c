"""Samplers and data sets of the project whose order hangs on a number that somebody has to give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.values import Const, Either, Instance, Object, Value
from ddplint.analysis.facts.passes import SAMPLER, around, is_loader
from ddplint.analysis.trace.events import Event
from ddplint.source.tree import dotted

if TYPE_CHECKING:
    from ddplint.project.index.queries import Index
    from ddplint.project.index.units import Class, Function, Unit


_PARTS = ((0, "dataset"), (3, "sampler"), (4, "batch_sampler"))


def own_samplers(value: Value | None) -> Iterator[tuple[Object, Instance, bool]]:
    """The loaders behind a value with a sampler or data set of the project, and whether it is always this one."""
    for loader in around(value):
        for position, name in _PARTS if is_loader(loader) else ():
            for sampler, certain in _instances(loader.argument(position, name)):
                yield loader, sampler, certain


def _instances(value: Value | None) -> list[tuple[Instance, bool]]:
    if isinstance(value, Either):
        return [(found, False) for side in (value.yes, value.no) for found, _ in _instances(side)]
    return [(value, True)] if isinstance(value, Instance) else []


def waits_for(index: Index, sampler: Instance, method: str) -> bool:
    """Whether a sampler goes by what a method of it is given, and nothing in the project calls that method.

    That is what the method keeps in a field which another one reads, or what a sampler of torch keeps for it.
    """
    cls = next(iter(index.unit(sampler.cls.module.file).classes.get(sampler.cls.name, ())), None)
    if cls is None:
        return False
    classes, outside = index.lineage(cls)
    own = next((found for one in classes if (found := one.method(method))), [])
    kept = frozenset(field for one in own for field in one.writes) if own else frozenset({_EPOCH})
    waits = _waits(classes, kept, method)
    if not own:
        waits = SAMPLER in outside and _draws_as_torch_does(classes) and not _moves(classes, kept, method)
    return waits and not _is_called(index, cls.unit, own, method, kept)


_EPOCH = "self .epoch"
"""Where a sampler of torch keeps the epoch."""


def _waits(classes: tuple[Class, ...], fields: frozenset[str], but: str) -> bool:
    """Whether a method reads one of the fields, and none sets it by itself."""
    read = any(not fields.isdisjoint(one.reads) for one in _others(classes, but))
    return read and not _moves(classes, fields, but)


def _moves(classes: tuple[Class, ...], fields: frozenset[str], but: str) -> bool:
    return any(not fields.isdisjoint(one.writes) for one in _others(classes, but))


def _others(classes: tuple[Class, ...], but: str) -> Iterator[Function]:
    for cls in classes:
        yield from (one for one in cls.methods if one.name.rpartition(".")[2] not in ("__init__", but))


def _draws_as_torch_does(classes: tuple[Class, ...]) -> bool:
    """Whether it inherits the order of torch's sampler, or makes one of its own by the same field."""
    drawn = next((found for one in classes if (found := one.method("__iter__"))), [])
    return not drawn or any(_EPOCH in one.reads for one in drawn)


def _is_called(index: Index, near: Unit, own: Sequence[Function], method: str, fields: frozenset[str]) -> bool:
    """Whether something calls the method, or one of that name of an object that is not known to be another one's.

    A method of the same name passes what it is given itself. Files that have nothing to do with this one do not count.
    So does who sets one of the ``fields`` of an object from outside.
    """
    names = {one.rpartition(" ")[2] for one in fields}
    index.link_all()
    functions = (one for unit in _beside(index, near) for many in unit.functions.values() for one in many)
    for one in (one for one in functions if one.name.rpartition(".")[2] != method):
        if any(_is_of_another(target) and target.rpartition(" ")[2] in names for target, _ in one.record.assigned):
            return True
        for call in (call for call in one.record.calls if call.callee.endswith(f" .{method}")):
            known = [edge.target for edge in one.edges if edge.call is call and edge.how == "direct"]
            if not known or any(target in own for target in known):
                return True
    return False


def _is_of_another(target: str) -> bool:
    """Whether an attribute is not set on the method's own object."""
    holder = target.rpartition(" ")[0]
    return bool(holder) and holder not in ("self", "cls")


def _beside(index: Index, near: Unit) -> set[Unit]:
    """The files that lead to one by their imports, and all that these import."""
    imports = {unit: frozenset(index.files.importing(unit)) for unit in index.files.every()}
    users: set[Unit] = set()
    more = {near}
    while more:
        users |= more
        more = {unit for unit, found in imports.items() if not users.isdisjoint(found)} - users
    found: set[Unit] = set()
    more = set(users)
    while more:
        found |= more
        more = {one for unit in more for one in imports.get(unit, frozenset())} - found
    return found


def shuffles_itself(made: Event | None, sampler: Instance) -> bool | None:
    """Whether a sampler of the project shuffles, by what it is made with; ``None`` where that is not said."""
    params = _parameters(sampler.cls.node)
    given = made.kwargs.get(_SHUFFLE) if made is not None else None
    names = list(params)[1:]
    if given is None and made is not None and _SHUFFLE in names and names.index(_SHUFFLE) < len(made.args):
        given = made.args[names.index(_SHUFFLE)]
    if given is not None:
        return bool(given.value) if isinstance(given, Const) else None
    default = params.get(_SHUFFLE)
    return None if default is None else dotted(default) != "False"


_SHUFFLE = "shuffle"


def _parameters(cls: cst.ClassDef) -> dict[str, cst.BaseExpression | None]:
    """The parameters of a class with their defaults."""
    start = next(
        (one for one in cls.body.body if isinstance(one, cst.FunctionDef) and one.name.value == "__init__"), None
    )
    if start is None:
        return {}
    every = (*start.params.posonly_params, *start.params.params, *start.params.kwonly_params)
    return {one.name.value: one.default for one in every}
