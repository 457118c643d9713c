"""Classes: what they inherit, who inherits from them, what is registered where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from ddplint.project.index.units import Above, Bound, Class, Function, Held, Library, Object, Thing, Unit

if TYPE_CHECKING:
    from ddplint.knowledge import Knowledge
    from ddplint.project.index.files import Files


_BY_ANYBODY = frozenset({"forward", "__call__"})
"""Whoever has an object calls these, not a framework alone."""
_BELOW = 8
"""Classes below one, whose methods a call may reach; with more it is not known which."""


class Resolves(Protocol):
    """Who says what expressions stand for."""

    def evaluate(self, words: str, function: Function) -> tuple[Thing, ...]: ...
    def result(self, thing: Thing) -> Iterable[Thing]: ...
    def instances(self, classes: Iterable[Thing]) -> Iterator[Thing]: ...


class Hierarchy:
    """Asks of classes what a walk would see in their objects."""

    def __init__(self, resolver: Resolves, files: Files) -> None:
        self._resolver = resolver
        self._files = files
        self._lineages: dict[Class, tuple[Class, ...]] = {}
        self._outside: dict[Class, tuple[str, ...]] = {}

    def lineage(self, cls: Class) -> tuple[Class, ...]:
        """The class and those of the project above it, nearest first."""
        found = self._lineages.get(cls)
        if found is None:
            self._lineages[cls] = (cls,)
            ways = [cls, *(one for base in self._bases(cls) for one in self.lineage(base))]
            found = self._lineages[cls] = tuple(dict.fromkeys(ways))
        return found

    def outside(self, cls: Class) -> tuple[str, ...]:
        """The full names of the classes above it that are not of the project."""
        if cls not in self._outside:
            names = [one.name for above in self.lineage(cls) for one in self._named(above) if isinstance(one, Library)]
            self._outside[cls] = tuple(name for name in dict.fromkeys(names) if name != "builtins.object")
        return self._outside[cls]

    def _named(self, cls: Class) -> Iterator[Thing]:
        body = cls.unit.body
        for words in cls.record.bases if body is not None else ():
            yield from self._resolver.evaluate(words, body)  # type: ignore[arg-type]

    def _bases(self, cls: Class) -> list[Class]:
        return [one for one in self._named(cls) if isinstance(one, Class) and one is not cls]

    def below(self, cls: Class) -> tuple[Class, ...]:
        """The classes of the project that inherit from a class, itself or over others."""
        ways, ring = [], list(self._direct.get(cls, ()))
        while ring:
            one = ring.pop()
            if one not in ways:
                ways.append(one)
                ring += self._direct.get(one, ())
        return tuple(ways)

    @cached_property
    def _direct(self) -> dict[Class, list[Class]]:
        found: dict[Class, list[Class]] = {}
        for unit in self._files.every():
            for one in (cls for many in unit.classes.values() for cls in many):
                for base in self._bases(one):
                    found.setdefault(base, []).append(one)
        return found

    def hooks(self, cls: Class, knowledge: Knowledge) -> list[Function]:
        """The methods of a class, inherited ones too, that a framework calls, by the classes above it."""
        names = {name for base in self.outside(cls) for name in knowledge.hooks(base)} - _BY_ANYBODY
        return [one for name in sorted(names) for one in self.methods(cls, name)]

    def methods(self, cls: Class, name: str) -> list[Function]:
        """The method of a name that an object of just this class has."""
        return next((found for one in self.lineage(cls) if (found := one.method(name))), [])

    def of_object(self, thing: Object, name: str) -> Iterable[Thing]:
        """What an attribute of an object may be."""
        found: list[Thing] = []
        own = self.methods(thing.cls, name)
        if not thing.exact:
            own = [*own, *self._overridden(thing.cls, name)]
        for one in own:
            found += self._resolver.result(one) if one.kind == "property" else [Bound(one)]
        if own:
            return found
        found += self._attributes(thing, name)
        return found or self._from_outside(thing.cls, name)

    def _overridden(self, cls: Class, name: str) -> list[Function]:
        found = [one for below in self.below(cls) for one in below.method(name)]
        return found if len(found) <= _BELOW else []

    def _attributes(self, thing: Object, name: str) -> Iterator[Thing]:
        """What methods of the class, and its body, give to the attribute."""
        for cls in self.lineage(thing.cls):
            for method in cls.methods:
                own = method.record.params[0] if method.record.params else ""
                target = f"{own} .{name}"
                if (method.name, target) in cls.unit.tables or "" in method.assigned.get(target, ()):
                    yield Held(cls.unit, method.name, target)
                for words in method.assigned.get(target, ()):
                    yield from self._resolver.evaluate(words, method)
                for known, words in method.record.hints:
                    if known == target:
                        yield from self._resolver.instances(self._resolver.evaluate(words, method))
            yield from self._fields(cls, name)

    def _fields(self, cls: Class, name: str) -> Iterator[Thing]:
        body = cls.unit.body
        if body is None:
            return
        empty = any(known == name and not words for known, words in cls.record.fields)
        if empty or (cls.name, name) in cls.unit.tables:
            yield Held(cls.unit, cls.name, name)
        for known, words in cls.record.fields:
            if known == name:
                yield from self._resolver.evaluate(words, body)
        for known, words in cls.record.hints:
            if known == name:
                yield from self._resolver.instances(self._resolver.evaluate(words, body))

    def _from_outside(self, cls: Class, name: str) -> list[Thing]:
        return [Library(f"{base}.{name}", method=True) for base in self.outside(cls)]

    def of_above(self, thing: Above, name: str) -> Iterable[Thing]:
        """What an attribute of ``super()`` may be: of the classes above, or beside it in the objects of one below."""
        found = self._next(self.lineage(thing.cls), thing.cls, name)
        if not found:
            ways = [self._next(self.lineage(below), thing.cls, name) for below in self.below(thing.cls)]
            found = [one for way in ways for one in way if len(ways) <= _BELOW]
        if found:
            return [Bound(one) for one in found]
        return self._from_outside(thing.cls, name)

    @staticmethod
    def _next(lineage: tuple[Class, ...], cls: Class, name: str) -> list[Function]:
        behind = lineage[lineage.index(cls) + 1 :]
        return next((found for one in behind if (found := one.method(name))), [])

    def of_class(self, cls: Class, name: str) -> Iterable[Thing]:
        """What an attribute of a class may be."""
        own = self.methods(cls, name)
        if own:
            return [Bound(one) if one.kind == "class" else one for one in own]
        fields = [one for above in self.lineage(cls) for one in self._fields(above, name)]
        inner = [one for above in self.lineage(cls) for one in above.unit.classes.get(f"{above.name}.{name}", ())]
        return [*fields, *inner] or self._from_outside(cls, name)

    # Registries

    def registered(self, held: Held) -> list[Thing]:
        """What decorators put into a container: those that store what they are given in it."""
        return self._registered.get(held, [])

    @cached_property
    def _registered(self) -> dict[Held, list[Thing]]:
        found: dict[Held, list[Thing]] = {}
        for unit in self._files.every():
            if unit.body is not None:
                for thing, decorators in decorated(unit):
                    for words in decorators:
                        for held in self._stored_in(unit, words):
                            found.setdefault(held, []).append(thing)
        return found

    def _stored_in(self, unit: Unit, decorator: str) -> list[Held]:
        """The containers that a decorator stores what it is given in."""
        body, words = unit.body, decorator.removesuffix(" ()")
        if body is None or not words:
            return []
        found: list[Held] = []
        for thing in self._resolver.evaluate(words, body):
            function = thing.function if isinstance(thing, Bound) else thing
            if isinstance(function, Function):
                found += self._stores(function)
        return found

    def _stores(self, function: Function) -> list[Held]:
        inner = (many for name, many in function.unit.functions.items() if name.startswith(f"{function.name}."))
        found: list[Held] = []
        for one in (function, *(one for many in inner for one in many)):
            for target, words in one.record.assigned:
                if target.endswith("[") and words in one.positions:
                    things = self._resolver.evaluate(target.removesuffix(" ["), one)
                    found += [thing for thing in things if isinstance(thing, Held)]
        return found


def decorated(unit: Unit) -> Iterator[tuple[Thing, Iterable[str]]]:
    """The classes of a file, and the functions that are no methods, with their decorators."""
    for many in unit.classes.values():
        yield from ((cls, cls.record.decorators) for cls in many if cls.record.decorators)
    for functions in unit.functions.values():
        yield from ((one, one.record.decorators) for one in functions if one.record.decorators and not one.owner)
