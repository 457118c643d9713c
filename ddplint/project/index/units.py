"""What the index is made of, and what an expression may stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Union

from ddplint.project.index.records import MODULE, Call, ClassRecord, FileRecord, FunctionRecord, Import

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ddplint.project.index.places import Place
    from ddplint.source.file import SourceFile


@dataclass(frozen=True, slots=True)
class Why:
    """Where an effect comes from: the line, and what stands there."""

    line: int
    text: str


@dataclass(eq=False)
class Unit:
    """A file of the project with its record."""

    module: Place
    record: FileRecord

    @property
    def file(self) -> SourceFile:
        return self.module.file

    @cached_property
    def functions(self) -> dict[str, list[Function]]:
        """The functions by their full name; several may have one, as a property and its setter do."""
        found: dict[str, list[Function]] = {}
        for one in self.record.functions:
            found.setdefault(one.name, []).append(Function(self, one))
        return found

    @cached_property
    def classes(self) -> dict[str, list[Class]]:
        """The classes by their full name."""
        found: dict[str, list[Class]] = {}
        for one in self.record.classes:
            found.setdefault(one.name, []).append(Class(self, one))
        return found

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """The imports by the name that they bind."""
        found: dict[str, list[Import]] = {}
        for one in self.record.imports:
            found.setdefault(one.name, []).append(one)
        return found

    @cached_property
    def imports_relatively(self) -> bool:
        """Whether it can only be imported as a part of its package."""
        return any(one.module.startswith(".") and not one.inner for one in self.record.imports)

    @cached_property
    def sets_by_name(self) -> bool:
        """Whether a class of it may give its objects attributes whose names nobody reads in the program."""
        functions = self.record.functions
        calls = (call for one in functions for call in one.calls)
        if any(call.callee in ("setattr", "vars") and "self" in call.given[:1] for call in calls):
            return True
        return any(words.startswith("self .__dict__") for one in functions for words in _asked(one))

    @cached_property
    def origins(self) -> dict[str, str]:
        """What the names stand for that the file binds by importing, dots first; its own statements come first."""
        found: dict[str, str] = {}
        for one in sorted(self.record.imports, key=lambda one: one.inner):
            if one.name not in ("", "*") and not (one.inner and one.name in found):
                found[one.name] = one.origin
        return found

    @cached_property
    def handed(self) -> dict[str, list[str]]:
        """What is called with a name as the first argument, by that name, in the order of the file."""
        found: dict[str, list[tuple[int, str]]] = {}
        for call in (call for one in self.record.functions for call in one.calls):
            first = call.given[0] if call.given else call.named[0][1] if call.named else ""
            if first.isidentifier():
                found.setdefault(first, []).append((call.line, call.callee.replace(" ", "")))
        return {name: [callee for _, callee in sorted(calls)] for name, calls in found.items()}

    @cached_property
    def asked(self) -> dict[str, set[str]]:
        """The attributes that are asked of names, by the dotted name."""
        found: dict[str, set[str]] = {}
        for words in {words for one in self.record.functions for words in _asked(one)}:
            before, *others = words.split(" ")
            for word in others:
                if word[0] != "." or not before:
                    break
                found.setdefault(before, set()).add(word[1:])
                before += word
        return found

    @cached_property
    def picked_from(self) -> frozenset[str]:
        """The names of which something is asked by a name that is not written there: ``getattr(module, name)``."""
        functions = self.record.functions
        every = (
            words for one in functions for words in (*_asked(one), *one.returned, *(held for _, held in one.assigned))
        )
        return frozenset(words.partition(" ")[0] for words in every if " .*" in words)

    @cached_property
    def tables(self) -> dict[tuple[str, str], list[str]]:
        """What names hold that hold several things, by where they are bound and the name."""
        found: dict[tuple[str, str], list[str]] = {}
        for scope, name, things in self.record.tables:
            found.setdefault((scope, name), []).extend(things)
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """All names that stand in the file, also in what it imports."""
        found = {word for many in self.functions.values() for one in many for word in one.words()}
        found |= {word for one in self.record.classes for text in one.bases for word in names_in(text)}
        imported = (word for one in self.record.imports for word in (*one.module.split("."), one.member, one.name))
        return frozenset(found.union(imported) - {"", "*"})

    @property
    def body(self) -> Function | None:
        """The function that stands for the file's own statements."""
        return next(iter(self.functions.get(MODULE, ())), None)


def _asked(function: FunctionRecord) -> Iterator[str]:
    yield from function.reads
    yield from (call.callee for call in function.calls)


@dataclass(eq=False)
class Class:
    """A class of the project."""

    unit: Unit
    record: ClassRecord

    @property
    def name(self) -> str:
        return self.record.name

    def method(self, name: str) -> list[Function]:
        """The methods of that name in its own body."""
        return self.unit.functions.get(f"{self.record.name}.{name}", [])

    @cached_property
    def methods(self) -> list[Function]:
        """All methods of its own body."""
        return [one for many in self.unit.functions.values() for one in many if one.record.owner == self.record.name]


@dataclass(eq=False)
class Function:
    """A function of the project, or the body of a file.

    ``edges`` are what it calls, ``own`` the effects that its own statements have; both are filled by the linking.
    ``open_calls`` lead nowhere, of ``guessed`` ones only the name of a method tells where. ``effects`` are all that a
    call of it has, ``given`` what it does with its parameters: calls them, or an attribute of theirs (the number of
    the parameter, and the words behind it). ``callers`` are who was found to call it.
    """

    unit: Unit
    record: FunctionRecord
    linked: bool = False
    edges: list[Edge] = field(default_factory=list)
    open_calls: list[Call] = field(default_factory=list)
    guessed: list[Call] = field(default_factory=list)
    own: dict[str, Why] = field(default_factory=dict)
    effects: dict[str, Why] = field(default_factory=dict)
    given: dict[tuple[int, str], Why] = field(default_factory=dict)
    callers: list[Function] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def is_body(self) -> bool:
        return self.record.name == MODULE

    @cached_property
    def assigned(self) -> dict[str, list[str]]:
        """What names are given, by name."""
        found: dict[str, list[str]] = {}
        for name, words in self.record.assigned:
            found.setdefault(name, []).append(words)
        return found

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names and attributes that it reads."""
        return frozenset(self.record.reads)

    @cached_property
    def writes(self) -> frozenset[str]:
        """The attributes of its object, and the names of its module, that it writes."""
        written = (*(target for target, _ in self.record.assigned), *self.record.summed)
        return frozenset(one for one in written if one.startswith("self .") or one in self.record.outer)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The numbers of its parameters by name."""
        return {name: number for number, name in enumerate(self.record.params)}

    @cached_property
    def kind(self) -> str:
        """``method``, ``class``, ``static`` or ``property`` of what belongs to a class; else empty."""
        if not self.record.owner:
            return ""
        last = {words.rpartition(".")[2] for words in self.record.decorators}
        if last & {"staticmethod"} or self.record.name.endswith(".__new__"):
            return "static"
        if last & {"classmethod"} or self.record.name.endswith(".__init_subclass__"):
            return "class"
        return "property" if any(one.endswith("property") for one in last) else "method"

    @cached_property
    def around(self) -> Function | None:
        """The function that it is defined in."""
        outer, dot, _ = self.record.name.rpartition(".")
        while dot:
            found = self.unit.functions.get(outer)
            if found:
                return found[-1]
            outer, dot, _ = outer.rpartition(".")
        return None

    @cached_property
    def owner(self) -> Class | None:
        """The class whose method it is."""
        found: Sequence[Class] = self.unit.classes.get(self.record.owner, ()) if self.record.owner else ()
        inside = (one for one in found if one.record.first <= self.record.first <= one.record.last)
        return next(inside, next(iter(found), None))

    def inside(self) -> Iterator[tuple[str, list[Function]]]:
        """The functions that are defined in it, by their full name."""
        start = f"{self.record.name}."
        return ((name, many) for name, many in self.unit.functions.items() if name.startswith(start))

    def words(self) -> Iterator[str]:
        """All names that stand in it."""
        record = self.record
        yield from self.record.name.split(".")
        yield from record.params
        texts = [*record.reads, *record.decorators, *record.returned, *record.summed]
        texts += [text for pair in (*record.assigned, *record.hints) for text in pair]
        for call in record.calls:
            texts += [call.callee, *call.given, *(text for pair in call.named for text in pair)]
        for text in texts:
            yield from names_in(text)

    def __repr__(self) -> str:
        return f"{self.unit.file.path}:{self.record.first} {self.record.name}"


def names_in(words: str) -> Iterator[str]:
    """The names in an expression."""
    return (word.lstrip(".['") for word in words.split(" "))


@dataclass(frozen=True, slots=True)
class Bound:
    """A method with the object or class it is called on."""

    function: Function


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a class of the project; ``exact`` unless it may be of a class below."""

    cls: Class
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Above:
    """An object as the classes above one of its own see it: ``super()``."""

    cls: Class


@dataclass(frozen=True, slots=True)
class Library:
    """Something outside the project, by its full name. ``method``: it is asked of an object."""

    name: str
    method: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """What a call of something outside the project gave."""

    name: str


@dataclass(frozen=True, slots=True)
class ModuleOf:
    """A module of the project."""

    unit: Unit


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a function is given, and the words behind it."""

    function: Function
    number: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A container that a name holds: where it is bound, and the name."""

    unit: Unit
    scope: str
    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """One of the things in a container of which nothing else is known."""

    held: Held


Thing = Union[Function, Class, Bound, Object, Above, Library, Made, ModuleOf, Parameter, Held, Element]


@dataclass(frozen=True, slots=True)
class Edge:
    """A call that was found to lead somewhere: ``bound`` parameters are given already.

    ``how``: ``direct``, ``handed`` (handed on, to whoever calls it), ``name`` (by its name alone) or ``decorator``.
    """

    target: Function
    call: Call
    bound: int = 0
    how: str = "direct"
