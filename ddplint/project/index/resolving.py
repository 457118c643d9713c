"""What a name or an expression stands for."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ddplint.project import limits
from ddplint.project.index.hierarchy import Hierarchy
from ddplint.project.index.records import MODULE, Call, Import
from ddplint.project.index.units import (
    Above,
    Bound,
    Class,
    Element,
    Function,
    Held,
    Library,
    Made,
    ModuleOf,
    Object,
    Parameter,
    Thing,
    Unit,
)  # fmt: skip

if TYPE_CHECKING:
    from ddplint.knowledge import Knowledge
    from ddplint.project.index.files import Files


_BUILTINS = frozenset(dir(builtins))
_MOST = 12
"""Things that an expression is taken to stand for at most; with more nothing is known of it."""
_DEEP = 40
_PATH = 3
"""Words behind a parameter that are kept."""
_SAME = frozenset({"builtins.list", "builtins.tuple", "builtins.set", "builtins.sorted", "builtins.iter",
                   "builtins.reversed", "builtins.next", "copy.copy", "copy.deepcopy", "typing.cast"})  # fmt: skip
"""What hands its first argument on, or what is in it."""


_SUPER = (Library("builtins.super"),)
_ANYTHING = frozenset({"typing.Any", "typing_extensions.Any"})
"""Annotations that say nothing of an object."""


class Resolver:
    """Resolves expressions of functions. Answers are kept."""

    def __init__(self, files: Files, knowledge: Knowledge) -> None:
        self.files = files
        self.knowledge = knowledge
        self.hierarchy = Hierarchy(self, files)
        self._expressions: dict[tuple[Function, str], tuple[Thing, ...]] = {}
        self._members: dict[tuple[Unit, str], tuple[Thing, ...]] = {}
        self._attributes: dict[tuple[Thing, str], tuple[Thing, ...]] = {}
        self._results: dict[Function, tuple[Thing, ...]] = {}
        self._depth = 0

    def evaluate(self, words: str, function: Function) -> tuple[Thing, ...]:
        """What an expression in a function may stand for; nothing where that is not known."""
        if not words or words[0] == "'":
            return ()
        key = function, words
        found = self._expressions.get(key)
        if found is None:
            self._expressions[key] = ()  # while it is worked out: a circle is nothing that is known
            if self._depth > _DEEP:
                return ()
            self._depth += 1
            try:
                found = self._expressions[key] = _few(self._evaluate(words, function))
            finally:
                self._depth -= 1
        return found

    def _evaluate(self, words: str, function: Function) -> Iterable[Thing]:
        before, space, last = words.rpartition(" ")
        if not space:
            return self._name(last, function)
        if last[0] == ".":
            own = function.assigned.get(words)
            if own is not None and not before.startswith(("self", "cls")) and before != words:
                return [thing for one in own for thing in self.evaluate(one, function)]
            return [thing for one in self.evaluate(before, function) for thing in self.attribute(one, last[1:])]
        things = self.evaluate(before, function)
        if last == "()":
            if things == _SUPER:
                return [Above(owner) for owner in _owners(function)]
            made = [made for one in things for made in self.result(one)]
            return [*made, *map(Object, self._of_configurations(before, things, function))]
        return [inner for one in things for inner in self._item(one)]

    def _name(self, name: str, function: Function) -> Iterable[Thing]:
        scope: Function | None = function
        while scope is not None and not scope.is_body:
            if name not in scope.record.outer and (found := list(self._local(name, scope))):
                return found
            if name in scope.positions:
                return self._parameter(name, scope)
            scope = scope.around
        return self.member(function.unit, name)

    def _local(self, name: str, function: Function) -> Iterator[Thing]:
        unit, full = function.unit, f"{function.name}.{name}"
        yield from unit.functions.get(full, ())
        yield from unit.classes.get(full, ())
        if (function.name, name) in unit.tables:
            yield Held(unit, function.name, name)
        for words in function.assigned.get(name, ()):
            yield from self.evaluate(words, function)
        if name in function.positions and name in function.assigned:
            yield from self._parameter(name, function)

    def _parameter(self, name: str, function: Function) -> Iterator[Thing]:
        number, owner = function.positions[name], function.owner
        if number == 0 and owner is not None and function.kind != "static":
            yield owner if function.kind == "class" else Object(owner, exact=False)
            return
        hinted = list(self._hinted(name, function))
        yield from hinted or [Parameter(function, number)]

    def _hinted(self, name: str, function: Function) -> Iterator[Thing]:
        for known, words in function.record.hints:
            if known == name:
                yield from self.instances(self.evaluate(words, function.around or function.unit.body or function))

    @staticmethod
    def instances(classes: Iterable[Thing]) -> Iterator[Thing]:
        """Objects of classes that an annotation names."""
        for one in classes:
            if isinstance(one, Class):
                yield Object(one, exact=False)
            elif isinstance(one, Library) and one.name.rpartition(".")[2][:1].isupper() and one.name not in _ANYTHING:
                yield Made(one.name)

    def member(self, unit: Unit, name: str) -> tuple[Thing, ...]:
        """What a module has under a name."""
        key = unit, name
        found = self._members.get(key)
        if found is None:
            self._members[key] = ()
            found = self._members[key] = _few(self._member(unit, name))
        return found

    def _member(self, unit: Unit, name: str) -> Iterator[Thing]:
        yield from unit.functions.get(name, ())
        yield from unit.classes.get(name, ())
        for one in unit.imports.get(name, ()):
            yield from self._imported(unit, one)
        body = unit.body
        if (MODULE, name) in unit.tables or (body is not None and "" in body.assigned.get(name, ())):
            yield Held(unit, MODULE, name)
        for words in body.assigned.get(name, ()) if body is not None else ():
            yield from self.evaluate(words, body)  # type: ignore[arg-type]
        for star in unit.imports.get("*", ()) if not unit.functions.get(name) and not unit.classes.get(name) else ():
            yield from self._starred(unit, star, name)
        if name in _BUILTINS and not unit.imports.get(name):
            yield Library(f"builtins.{name}")

    def _starred(self, unit: Unit, star: Import, name: str) -> Iterator[Thing]:
        full, other = self.files.imported(unit, star.module)
        if other is not None:
            yield from (one for one in self.member(other, name) if one != Library(f"builtins.{name}"))
        elif full and self.knowledge.knows(f"{full}.{name}"):
            yield Library(f"{full}.{name}")

    def _imported(self, unit: Unit, one: Import) -> Iterator[Thing]:
        full, other = self.files.imported(unit, one.module)
        if not one.member:
            yield ModuleOf(other) if other is not None else Library(full)
        elif other is None:
            dot = "" if one.module.endswith(".") else "."
            inner, module = self.files.imported(unit, f"{one.module}{dot}{one.member}")
            yield ModuleOf(module) if module is not None else Library(inner)
        elif found := [thing for thing in self.member(other, one.member) if thing != Library(f"builtins.{one.member}")]:
            yield from found
        else:
            module = self.files.below(other, one.member)
            if module is not None:
                yield ModuleOf(module)

    def attribute(self, thing: Thing, name: str) -> tuple[Thing, ...]:
        """What an attribute of something may be."""
        key = thing, name
        found = self._attributes.get(key)
        if found is None:
            self._attributes[key] = ()
            found = self._attributes[key] = _few(self._attribute(thing, name))
        return found

    def _attribute(self, thing: Thing, name: str) -> Iterable[Thing]:
        if isinstance(thing, Object):
            return self.hierarchy.of_object(thing, name)
        if isinstance(thing, Class):
            return self.hierarchy.of_class(thing, name)
        if isinstance(thing, Above):
            return self.hierarchy.of_above(thing, name)
        if isinstance(thing, ModuleOf) and name == "*":  # under a name that is not known: one of its classes
            return [one for of_name, many in thing.unit.classes.items() if "." not in of_name for one in many]
        if isinstance(thing, ModuleOf):
            found = self.member(thing.unit, name)
            below = self.files.below(thing.unit, name) if not found else None
            return [ModuleOf(below)] if below is not None else found
        if isinstance(thing, Library):
            return [] if thing.method else [Library(f"{thing.name}.{name}")]
        if isinstance(thing, Made):
            return [Library(f"{self.type_of(thing)}.{name}", method=True)]
        if isinstance(thing, Parameter):
            path = f"{thing.path} .{name}".lstrip()
            return [Parameter(thing.function, thing.number, path)] if path.count(" ") < _PATH else []
        if isinstance(thing, (Held, Element)):
            return self._of_held(thing, name)
        return []

    def _of_held(self, thing: Held | Element, name: str) -> Iterable[Thing]:
        """``table.get``, ``table.values``: what they give is one of the things in it."""
        return [thing] if name in ("get", "values", "items", "pop", "build") else []

    def type_of(self, made: Made) -> str:
        """The class of what a library's function or class gave."""
        return self.knowledge.type_of(made.name) or self.knowledge.class_name(made.name)

    def result(self, thing: Thing) -> Iterable[Thing]:
        """What a call of something may give."""
        if isinstance(thing, Class):
            return [Object(thing)]
        if isinstance(thing, (Function, Bound)):
            return self._given_back(thing.function if isinstance(thing, Bound) else thing)
        if isinstance(thing, Library):
            return [Made(thing.name)]
        if isinstance(thing, Object):
            called = [*self.attribute(thing, "__call__"), *self.attribute(thing, "forward")]
            return [made for one in called if not isinstance(one, Library) for made in self.result(one)]
        if isinstance(thing, (Held, Element)):
            return [thing] if isinstance(thing, Element) else list(self._item(thing))
        return []

    def _of_configurations(self, words: str, things: Iterable[Thing], function: Function) -> Iterator[Class]:
        """The classes of which calls by an expression make objects as a configuration says."""
        if any(isinstance(one, Library) and one.name in self.knowledge.quiet("instantiates") for one in things):
            for call in function.record.calls:
                if call.callee == words:
                    yield from self.configured(call, function)

    def configured(self, call: Call, function: Function) -> list[Class]:
        """The few classes that configuration files name under the key of the first argument."""
        key = call.given[0].rpartition(" ")[2].lstrip(".[") if call.given else ""
        found: dict[Class, None] = {}
        for name in self.files.named_under(function.unit, key) if key else ():
            source, _, member = name.rpartition(".")
            things = self._imported(function.unit, Import("", source, member, call.line))
            found.update((one, None) for one in things if isinstance(one, Class))
        return list(found) if len(found) <= limits.CONFIGURED else []

    def _given_back(self, function: Function) -> tuple[Thing, ...]:
        """What a function returns; its parameters are not known here, but what it defines is."""
        if function not in self._results:
            self._results[function] = ()
            found = [thing for words in function.record.returned for thing in self.evaluate(words, function)]
            if (function.name, "return") in function.unit.tables:
                found.append(Held(function.unit, function.name, "return"))
            self._results[function] = _few(one for one in found if not isinstance(one, Parameter))
        return self._results[function]

    def _item(self, thing: Thing) -> Iterable[Thing]:
        if isinstance(thing, Held):
            return self.things_in(thing) or [Element(thing)]
        if isinstance(thing, Parameter):
            path = f"{thing.path} [".lstrip()
            return [Parameter(thing.function, thing.number, path)] if path.count(" ") < _PATH else []
        if isinstance(thing, (Element, Class)):
            return [thing]
        return []

    def things_in(self, held: Held) -> list[Thing]:
        """What is in a container: what it is written with, what is put into it, and what is registered in it."""
        found: list[Thing] = []
        body = [] if held.unit.body is None else [held.unit.body]
        scopes = held.unit.functions.get(held.scope) or body
        for words in held.unit.tables.get((held.scope, held.name), ()):
            found += [thing for one in scopes for thing in self.evaluate(words, one)]
        return [*found, *self.hierarchy.registered(held)]


def _owners(function: Function) -> Iterator[Class]:
    """The class whose method a function is, or is defined in."""
    step: Function | None = function
    while step is not None:
        if step.owner is not None:
            yield step.owner
            return
        step = step.around


def _few(things: Iterable[Thing]) -> tuple[Thing, ...]:
    found = tuple(dict.fromkeys(things))
    return found if len(found) <= _MOST else ()
