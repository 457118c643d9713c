"""The calls of a function become edges, and what its own statements do becomes its own effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ddplint.knowledge import tables
from ddplint.project.index import library
from ddplint.project.index.records import Call, FunctionRecord, shown
from ddplint.project.index.units import (
    Bound,
    Class,
    Edge,
    Element,
    Function,
    Held,
    Library,
    Made,
    Object,
    Parameter,
    Thing,
    Why,
)  # fmt: skip

if TYPE_CHECKING:
    from ddplint.project.index.resolving import Resolver
    from ddplint.source.file import SourceFile


_FEW = 3
"""Methods of one name in a project up to which a call by that name alone may mean them."""
_OF_BUILTINS = frozenset(name for kind in (str, bytes, list, dict, set, tuple, int, float) for name in dir(kind))
"""What is asked of an object of which nothing is known is most often asked of one of these."""
_BASES = ("torch.nn.Module", "torch.autograd.Function")
_GIVE_ELEMENTS = ("__iter__", "__next__", "__getitem__")
_ASK_FOR_ELEMENTS = {"builtins.iter": "__iter__", "builtins.next": "__next__"}


class Linker:
    """Links functions when they are asked for."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._knowledge = resolver.knowledge
        self._instantiates = self._knowledge.quiet("instantiates")
        self.touched: list[Function] = []
        self.crashes: list[tuple[SourceFile, Exception]] = []
        self._quiet = self._knowledge.quiet("same", "tensors", "tensor_methods", "methods", "module_methods")

    def link(self, function: Function) -> Function:
        """The function with its edges and own effects."""
        if not function.linked:
            function.linked = True
            try:
                self._link(function)
            except Exception as error:  # of ours: what else the function does is not known, and the run says so
                self.crashes.append((function.unit.file, error))
        return function

    def _link(self, function: Function) -> None:
        for call in function.record.calls:
            self._call(function, call)
        self._reads(function)
        self._elements(function)
        self._decorators(function)
        self._statements(function)
        self._parameters(function)

    def _call(self, function: Function, call: Call) -> None:
        things = self.resolver.evaluate(call.callee, function)
        for thing in things:
            self.called(function, thing, call)
        if not things or all(isinstance(one, (Parameter, Element)) for one in things):
            self._open(function, call, bool(things))
        self._handed(function, call)

    def called(self, function: Function, thing: Thing, call: Call, how: str = "direct") -> None:
        """Note that a function calls something."""
        if isinstance(thing, Function):
            self._edge(function, Edge(thing, call, 0, how))
        elif isinstance(thing, Bound):
            self._edge(function, Edge(thing.function, call, 0 if thing.function.kind == "static" else 1, how))
        elif isinstance(thing, Class):
            self._made(function, thing, call, how)
        elif isinstance(thing, Object):
            self._object(function, thing, call, how)
        elif isinstance(thing, Library):
            self._library(function, thing, call)
        elif isinstance(thing, Made):
            self._of_made(function, thing, call)
        elif isinstance(thing, Held) and _last(thing.name) == _last(call.callee):  # modules one after the other
            for one in self.resolver.things_in(thing):
                if isinstance(one, Object):
                    self._object(function, one, call, how)
        elif isinstance(thing, Parameter) and (thing.number, thing.path) not in thing.function.given:
            thing.function.given[thing.number, thing.path] = Why(call.line, shown(call.callee))
            self.touched.append(thing.function)

    @staticmethod
    def _edge(function: Function, edge: Edge) -> None:
        function.edges.append(edge)
        edge.target.callers.append(function)

    def _made(self, function: Function, cls: Class, call: Call, how: str) -> None:
        for name in ("__init__", "__post_init__", "__new__"):
            for one in self.resolver.hierarchy.methods(cls, name):
                self._edge(function, Edge(one, call, 1, how))
        for base in self.resolver.hierarchy.outside(cls):
            self._own(function, library.called(self._knowledge, base), call)

    def _object(self, function: Function, thing: Object, call: Call, how: str) -> None:
        hierarchy = self.resolver.hierarchy
        for one in [*self.resolver.attribute(thing, "__call__"), *self.resolver.attribute(thing, "forward")]:
            if isinstance(one, (Bound, Function)):
                self.called(function, one, call, how)
        for base in hierarchy.outside(thing.cls):
            if base not in _BASES:
                self._own(function, library.called(self._knowledge, f"{base}.__call__"), call)

    def _library(self, function: Function, thing: Library, call: Call) -> None:
        self._own(function, library.called(self._knowledge, thing.name, call), call)
        if thing.method:
            self._own(function, library.named(self._knowledge, thing.name.rpartition(".")[2], call), call)
        self._variable(function, thing.name, call)
        asked = _ASK_FOR_ELEMENTS.get(thing.name, "")
        for given in self.resolver.evaluate(call.given[0], function) if asked and call.given else ():
            if isinstance(given, Object):
                self._methods_of(function, given, asked, call)
        for cls in self.resolver.configured(call, function) if thing.name in self._instantiates else ():
            self._made(function, cls, call, "config")

    def _variable(self, function: Function, name: str, call: Call) -> None:
        if self._knowledge.usual(name) in ("os.getenv", "os.environ.get"):
            given = call.given[0] if call.given else ""
            self._own(function, library.variable(self._knowledge, given[1:] if given.startswith("'") else ""), call)

    def _of_made(self, function: Function, thing: Made, call: Call) -> None:
        row = self._knowledge.lookup(thing.name)
        if row is not None and (row.kind == "wrapper" or "returns_collective" in row.also):
            self._own(function, [library.COMMUNICATES], call)
        self._own(function, library.called(self._knowledge, f"{self.resolver.type_of(thing)}.__call__", call), call)

    def _open(self, function: Function, call: Call, known: bool) -> None:
        """A call of which only the name is known."""
        last = call.callee.rpartition(" ")[2]
        name = last[1:] if last[:1] == "." else ""
        if name:
            self._own(function, library.named(self._knowledge, name, call), call)
        named = self.by_name(name, function) if name and name not in self._quiet else []
        for one in named:
            self._edge(function, Edge(one, call, 1, "name"))
        if not known:
            (function.guessed if named else function.open_calls).append(call)

    def is_common(self, method: str) -> bool:
        """Whether a method is so common that it is known what it does, whatever the object."""
        return method in self._quiet or method in _OF_BUILTINS

    def by_name(self, name: str, function: Function) -> list[Function]:
        """The methods of the project of a name, where these are few; of several, those that the file imports."""
        found = self._methods.get(name, [])
        if name in _OF_BUILTINS or name.startswith("__"):
            return []
        near = {function.unit, *self.resolver.files.importing(function.unit)} if len(found) > 1 else set()
        found = [one for one in found if one.unit in near] or found
        return found if len(found) <= _FEW else []

    @property
    def _methods(self) -> dict[str, list[Function]]:
        known: dict[str, list[Function]] | None = self.__dict__.get("_by_name")
        if known is None:
            known = self.__dict__["_by_name"] = {}
            for unit in self.resolver.files.every():
                for name, many in unit.functions.items():
                    if many[-1].record.owner:
                        known.setdefault(name.rpartition(".")[2], []).extend(many[-1:])
        return known

    def _handed(self, function: Function, call: Call) -> None:
        """Functions that a call hands to code outside the project, which may call them."""
        if any(edge.call is call and edge.how == "direct" for edge in function.edges[-4:]):
            return
        given = (*call.given, *(words for _, words in call.named))
        for words in (one for text in given for one in _listed(text)):
            made = words.endswith("()")
            for thing in self.resolver.evaluate(words, function) if words else ():
                if not made or isinstance(thing, Object):
                    self._taken(function, thing, Call(call.callee, call.line))

    def _taken(self, function: Function, thing: Thing, call: Call) -> None:
        """What code outside the project has may be called by it: functions, and the hooks of objects."""
        if isinstance(thing, (Function, Bound)):
            self.called(function, thing, call, "handed")
        elif isinstance(thing, Object):
            for one in self.resolver.hierarchy.hooks(thing.cls, self._knowledge):
                self._edge(function, Edge(one, call, 1, "handed"))

    def _own(self, function: Function, effects: Iterable[str], call: Call) -> None:
        for effect in effects:
            function.own.setdefault(effect, Why(call.line, shown(call.callee)))

    def _reads(self, function: Function) -> None:
        """Properties that are read: of the project, of libraries; variables of the environment."""
        for words in function.record.reads:
            before, space, last = words.rpartition(" ")
            if not space:
                continue
            if last[0] == "[":
                self._item(function, before, last[1:])
            elif last[1:] in self._properties:
                self._property(function, before, last[1:])

    def _elements(self, function: Function) -> None:
        """What loops take out of objects of the project, and what is taken by a number or a name."""
        for words in {words for _, words in function.record.assigned if words.endswith(" [")}:
            call = Call(words, function.record.first)
            for thing in self.resolver.evaluate(words.removesuffix(" ["), function):
                for name in _GIVE_ELEMENTS if isinstance(thing, Object) else ():
                    self._methods_of(function, thing, name, call)

    def _methods_of(self, function: Function, thing: Thing, name: str, call: Call) -> None:
        for one in self.resolver.attribute(thing, name):
            if isinstance(one, (Bound, Function)):
                self.called(function, one, call)

    def _item(self, function: Function, before: str, key: str) -> None:
        if before.endswith("environ") and Library("os.environ") in self.resolver.evaluate(before, function):
            why = Call(f"{before} [{key}", function.record.first)
            self._own(function, library.variable(self._knowledge, key), why)

    @property
    def _properties(self) -> frozenset[str]:
        """The names of properties: of the classes of the project, and of libraries."""
        known: frozenset[str] | None = self.__dict__.get("_property_names")
        if known is None:
            own = (
                one.name.rpartition(".")[2]
                for unit in self.resolver.files.every()
                for many in unit.functions.values()
                for one in many
                if one.kind == "property"
            )
            known = self.__dict__["_property_names"] = frozenset(own) | self._knowledge.properties()
        return known

    def _property(self, function: Function, before: str, name: str) -> None:
        call = Call(f"{before} .{name}", function.record.first)
        things = self.resolver.evaluate(before, function)
        for thing in things:
            if isinstance(thing, Object):
                for one in self.resolver.hierarchy.methods(thing.cls, name):
                    if one.kind == "property":
                        self._edge(function, Edge(one, call, 1))
            for one_of in self.resolver.attribute(thing, name):
                if isinstance(one_of, Library):
                    self._own(function, library.called(self._knowledge, one_of.name), call)
        if not any(isinstance(one, (Object, Library, Made)) for one in things):
            self._own(function, library.named(self._knowledge, name), call)

    def _decorators(self, function: Function) -> None:
        scope = function.around or function.unit.body
        for words in function.record.decorators if scope is not None else ():
            call = Call(words, function.record.first)
            bare = words.removesuffix(" ()")
            for thing in self.resolver.evaluate(bare, scope) if bare else ():  # type: ignore[arg-type]
                if isinstance(thing, Library):
                    self._own(function, library.called(self._knowledge, thing.name), call)
            for thing in self.resolver.evaluate(words, scope):  # type: ignore[arg-type]
                for made in self.resolver.result(thing):
                    if isinstance(made, Function):
                        self._edge(function, Edge(made, call, 0, "decorator"))

    def _parameters(self, function: Function) -> None:
        """A method that gives its object new parameters; where an object is made, it has no others yet."""
        record = function.record
        for target, words in record.assigned if record.owner and not record.name.endswith(".__init__") else ():
            if target.startswith("self .") and words.endswith(" ()"):
                for made in self.resolver.evaluate(words.removesuffix(" ()"), function):
                    if isinstance(made, Library) and made.name in tables.names("parameters"):
                        function.own.setdefault(library.CHANGES, Why(record.first, record.name))

    def _imports(self, function: Function) -> None:
        """What imports modules by a text for their own sake: for what these register."""
        for call in function.record.calls:
            things = self.resolver.evaluate(call.callee, function)
            if any(isinstance(one, Library) and one.name in library.IMPORTERS for one in things):
                self._own(function, [library.REGISTERS], call)

    def _statements(self, function: Function) -> None:
        record = function.record
        if record.raised:
            function.own.setdefault(library.ENDS, Why(record.raised[0], "raise"))
        if "r" in record.signs:
            self._imports(function)
        if "c" in record.signs and record.owner and _calls_parts(record):
            function.own.setdefault(library.CHOOSES, Why(record.first, record.name))
        for target, _ in record.assigned:
            if target.startswith("self .") or target in record.outer:
                function.own.setdefault(library.STATE, Why(record.first, shown(target)))
                break


def _calls_parts(record: FunctionRecord) -> bool:
    """Whether a method calls what its object holds, or what a loop takes out of that."""
    parts = {name for name, source in record.assigned if source.startswith("self .")}
    return any(one.callee.startswith("self .") or one.callee in parts for one in record.calls)


def _last(words: str) -> str:
    return words.rpartition(" ")[2].lstrip(".")


def _listed(words: str) -> list[str]:
    """What is given: one thing, or those in a list of things."""
    return words[3:].split(" , ") if words.startswith("'[ ") else [words]


def arguments(edge: Edge) -> Iterator[tuple[int, str]]:
    """What a call gives to the parameters of what it calls: their number, and the expression."""
    for number, words in enumerate(edge.call.given):
        yield number + edge.bound, words
    positions = edge.target.positions
    for name, words in edge.call.named:
        if name in positions:
            yield positions[name], words
