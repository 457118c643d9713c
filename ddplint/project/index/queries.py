"""What the rest of ddplint asks of the index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ddplint.knowledge import Knowledge, rank_words
from ddplint.project.index import rank_names as signs
from ddplint.project.index.files import Files, Naming, without_collector
from ddplint.project.index.kept import kept
from ddplint.project.index.library import BEGINS, COMMUNICATES, FILES, LAUNCHES, WRAPS
from ddplint.project.index.linking import Linker
from ddplint.project.index.mattering import MATTERING, Worth, worth_of
from ddplint.project.index.purity import Reads, called_below, called_from_elsewhere, reads_of
from ddplint.project.index.reading.file import words_of
from ddplint.project.index.resolving import Resolver
from ddplint.project.index.simple import simple_definitions
from ddplint.project.index.spreading import spread
from ddplint.project.index.units import Class, Function, Thing, Unit, Why, names_in
from ddplint.project.registering import Registering
from ddplint.project.ways.running import Ways

if TYPE_CHECKING:
    from ddplint.project.index.places import Finder
    from ddplint.source.file import SourceFile


_SPOKEN = frozenset({COMMUNICATES, FILES, WRAPS})
"""What faults between ranks are made of."""
_STARTING = frozenset({BEGINS, LAUNCHES, WRAPS})
_ITSELF = frozenset({"self", "cls", "super ()"})


class Index:
    """The index of one project."""

    def __init__(self, project: Finder, knowledge: Knowledge) -> None:
        self.files = Files(project, kept())
        self._resolver = Resolver(self.files, knowledge)
        self._linker = Linker(self._resolver)
        self._knowledge, self._ranks = knowledge, signs.RankNames(self._resolver)
        self.ways = Ways(self, project)
        self.registering, self.naming = Registering(self._resolver, self.effects), Naming(self.files)
        self._speaking: dict[Unit, bool] = {}
        self._named_ranks: dict[Unit, frozenset[str]] = {}
        self._mentioned: dict[Function, frozenset[str]] = {}
        self._asking: dict[Unit, bool] = {}
        self._about_ranks: dict[Unit, bool] = {}
        self._leading: dict[Unit, frozenset[SourceFile]] = {}
        self._by_itself: dict[Unit, bool] = {}
        self._for_several: dict[Unit, bool] = {}
        self._reads: dict[tuple[SourceFile, str, str], Reads | None] = {}
        self._worth: dict[Unit, Mapping[str, Worth]] = {}
        self._words: dict[SourceFile, Mapping[str, frozenset[str]]] = {}
        self._called: dict[SourceFile, frozenset[str]] = {}

    def crashes(self) -> list[tuple[SourceFile, Exception]]:
        """Errors of ours since it was last asked, and the files that they were met in."""
        found, self._linker.crashes = self._linker.crashes, []
        return found

    def unit(self, file: SourceFile) -> Unit:
        """The file with its record."""
        return self.files.of(file)

    def functions(self, file: SourceFile, name: str) -> list[Function]:
        """The functions of a file by their full name (``Trainer.fit``)."""
        return self.unit(file).functions.get(name, [])

    def effects(self, function: Function) -> dict[str, Why]:
        """What a call of a function does, and where that comes from."""
        if not function.linked:
            spread([function], self._linker)
        return function.effects

    def given(self, function: Function) -> dict[tuple[int, str], Why]:
        """Which of its parameters a function calls, or what of them."""
        self.effects(function)
        return function.given

    def returned(self, function: Function) -> tuple[Thing, ...]:
        """What a function may return."""
        return tuple(self._resolver.result(function))

    def worth(self, file: SourceFile) -> Mapping[str, Worth]:
        """The functions and classes at the top of a file that are worth a walk, by name."""
        unit = self.unit(file)
        if unit not in self._worth:
            self._worth[unit] = worth_of(self, unit)
        return self._worth[unit]

    def reads_of(self, file: SourceFile, owner: str, name: str) -> Reads | None:
        """What a function hangs on that only computes, if that takes more than a few lines; ``None`` for others.

        Parameters: ``owner``, the class whose method it is (the innermost around it), or nothing.
        """
        key = file, owner, name
        if key not in self._reads:
            self._reads[key] = reads_of(self, self.named(file, owner, name))
        return self._reads[key]

    def simple(self, file: SourceFile, name: str) -> frozenset[str]:
        """The names of a definition that only decides by what it is given, and of those that it calls."""
        return simple_definitions(self, self._knowledge, self.unit(file), name)

    def is_common(self, method: str) -> bool:
        """Whether a method is so common that it is known what it does, whatever the object."""
        return self._linker.is_common(method)

    def matters(self, file: SourceFile, name: str, method: str = "") -> bool:
        """Whether a call of a function (by its full name), or an object of a class, is worth a walk by itself.

        Parameters: ``method``, all that is asked of the object, if that is one of its own.
        """
        unit = self.unit(file)
        own = (*unit.functions.get(name, ()), *self._asked_of(unit.classes.get(name, ()), method))
        return any(not MATTERING.isdisjoint(self.effects(one)) for one in own)

    def _asked_of(self, classes: Sequence[Class], method: str) -> Iterator[Function]:
        """The methods of classes of that name, inherited ones too; all of their own where there is none."""
        for cls in classes:
            above = (one.method(method) for one in self.lineage(cls)[0]) if method else ()
            yield from next((found for found in above if found), cls.methods)

    def named(self, file: SourceFile, owner: str, name: str) -> list[Function]:
        """The functions of a name in a file whose class (the innermost around them) is called ``owner``."""
        every = (one for many in self.unit(file).functions.values() for one in many)
        return [
            one for one in every if one.name.rpartition(".")[2] == name and one.record.owner.rpartition(".")[2] == owner
        ]

    def mentions(self, function: Function) -> frozenset[str]:
        """All names that stand in a function, and in those inside it."""
        if function not in self._mentioned:
            inside = (one for _, many in function.inside() for one in many)
            self._mentioned[function] = frozenset(word for one in (function, *inside) for word in one.words())
        return self._mentioned[function]

    def methods_asked(self, function: Function) -> frozenset[str]:
        """The names of the methods that a function, or one inside it, calls of something."""
        inside = (one for _, many in function.inside() for one in many)
        found = (call.callee.rpartition(" ")[2] for one in (function, *inside) for call in one.record.calls)
        return frozenset(last[1:] for last in found if last[:1] == ".")

    def words_at_top(self, file: SourceFile) -> Mapping[str, frozenset[str]]:
        """What each function and class at the top of a file names, an attribute of a name also behind that name."""
        if file not in self._words:
            self._words[file] = words_of(file)
        return self._words[file]

    def called_names(self, file: SourceFile) -> frozenset[str]:
        """The last names of all that is called in a file."""
        if file not in self._called:
            self._called[file] = frozenset(name for _, name in self._callees(file))
        return self._called[file]

    def called_of_itself(self, file: SourceFile) -> frozenset[str]:
        """The names of the methods that objects and classes of a file call on themselves."""
        return frozenset(name for owner, name in self._callees(file) if owner in _ITSELF)

    def _callees(self, file: SourceFile) -> Iterator[tuple[str, str]]:
        """What is called in a file: on what, and the last name."""
        for many in self.unit(file).functions.values():
            for call in (call for one in many for call in one.record.calls):
                owner, _, last = call.callee.rpartition(" ")
                if last[:1] not in ("", "(", "["):
                    yield owner, last.lstrip(".")

    def called_over(self, function: Function) -> str:
        """The class above by which a framework calls a method; empty for what no framework is known to call."""
        name = function.name.rpartition(".")[2]
        classes = (one for one in function.unit.classes.get(function.record.owner, ()) if function in one.methods)
        above = (base for one in classes for base in self._resolver.hierarchy.outside(one))
        return next((base for base in above if name in self._knowledge.hooks(base)), "")

    def callers(self, function: Function) -> list[Function]:
        """Who calls a function, anywhere in the project."""
        self.link_all()
        return list(dict.fromkeys(function.callers))

    def asks_objects(self, function: Function) -> bool:
        """Whether code of another class calls a method of that name on an object that is not known."""
        self.link_all()
        name, owner = function.name.rpartition(".")[2], function.record.owner
        asking = self._asking_for.get(name, ())
        return any(one.unit is not function.unit or one.record.owner != owner for one in asking)

    @cached_property
    def _asking_for(self) -> Mapping[str, list[Function]]:
        """Who calls methods of objects that are not known, by the name of the method."""
        found: dict[str, list[Function]] = defaultdict(list)
        for one in (one for unit in self.files.every() for many in unit.functions.values() for one in many):
            for call in (*one.open_calls, *one.guessed):
                last = call.callee.rpartition(" ")[2]
                if last[:1] == ".":
                    found[last[1:]].append(one)
        return found

    def communicates(self, file: SourceFile) -> bool:
        """Whether a file speaks to other ranks: it imports a package for that, or a function of it does, itself."""
        unit = self.unit(file)
        if unit not in self._speaking:
            every = (one for many in unit.functions.values() for one in many if self.effects(one))
            own = signs.imports_for_many(self._knowledge, unit)
            self._speaking[unit] = own or not all(signs.SPEAKING.isdisjoint(one.own) for one in every)
        return self._speaking[unit]

    def begins(self, file: SourceFile) -> bool:
        """Whether a file itself starts several processes, makes their group, or imports a package that does."""
        unit = self.unit(file)
        every = (one for many in unit.functions.values() for one in many)
        return signs.imports_for_many(self._knowledge, unit) or any(
            self.effects(one) and not _STARTING.isdisjoint(one.own) for one in every
        )

    def needs_several(self, file: SourceFile) -> bool:
        """Whether a file is a program for several processes, whatever command line starts it."""
        return signs.does_together(self._knowledge, self.unit(file), self.effects)

    def starts_others(self, file: SourceFile) -> bool:
        """Whether a file starts the ranks of a run itself, or objects of a package that it imports do."""
        return signs.starts_others(self._knowledge, self.unit(file), self.effects)

    def imports_a_launcher(self, file: SourceFile) -> bool:
        """Whether objects of a package that a file imports start processes."""
        return signs.imports_a_launcher(self._knowledge, self.unit(file))

    def asks_who(self, file: SourceFile) -> bool:
        """Whether a file has a name for which of several processes it is: then it is written for several."""
        unit = self.unit(file)
        if unit not in self._asking:
            self._asking[unit] = any(map(rank_words.WHICH_PROCESS.search, unit.words))
        return self._asking[unit]

    def speaks(self, file: SourceFile) -> bool:
        """Whether a file speaks of other ranks: to them, or by a name for one of them or for how many there are."""
        return self.asks_who(file) or self._counts_ranks(self.unit(file)) or self.communicates(file)

    def is_for_several(self, file: SourceFile) -> bool:
        """Whether somebody has written a file who knows of other ranks."""
        unit = self.unit(file)
        if unit not in self._for_several:
            self._for_several[unit] = signs.is_for_several(unit)
        return self._for_several[unit]

    def rank_names(self, file: SourceFile) -> frozenset[str]:
        """Names of a file (last words only) that stand where only the number of a process fits."""
        unit = self.unit(file)
        if unit not in self._named_ranks:
            for one in (one for many in unit.functions.values() for one in many):
                self.effects(one)
            self._named_ranks[unit] = self._ranks.of_unit(unit)
        return self._named_ranks[unit]

    def reached_by(self, file: SourceFile) -> dict[SourceFile, frozenset[Function]]:
        """The functions of a file that matter to other ranks, or with what they are given, by the files that call them.

        Calls over other functions of the file count as well.
        """
        self.link_all()
        found: dict[SourceFile, set[Function]] = {}
        for one in (one for many in self.unit(file).functions.values() for one in many):
            if one.given or not MATTERING.isdisjoint(one.effects):
                for caller in called_from_elsewhere(one):
                    found.setdefault(caller.unit.file, set()).add(one)
        return {caller: frozenset(functions) for caller, functions in found.items() if caller is not file}

    def leads_to(self, file: SourceFile) -> frozenset[SourceFile]:
        """The files with something that speaks to other ranks, or writes, which calls lead to from a file."""
        unit = self.unit(file)
        if unit not in self._leading:
            own = [one for many in unit.functions.values() for one in many]
            for one in own:
                self.effects(one)
            below = (one for one in called_below(own) if not _SPOKEN.isdisjoint(one.effects))
            self._leading[unit] = frozenset(one.unit.file for one in below)
        return self._leading[unit]

    def is_about_ranks(self, file: SourceFile) -> bool:
        """Whether a file is about other ranks: it speaks of them, or what it calls speaks to them.

        Files in which no word of the tables stands at all are not read for that: what speaks to others is then written
        elsewhere, and of the file itself only what matters to a caller is worth a walk.
        """
        unit = self.unit(file)
        if unit not in self._about_ranks:
            named = file.mentions(self._knowledge.prefilter())
            self._about_ranks[unit] = named and (self.says_itself(file) or self._speaks_to_them(unit))
        return self._about_ranks[unit]

    def _speaks_to_them(self, unit: Unit) -> bool:
        every = (one for many in unit.functions.values() for one in many)
        return any(not signs.SPEAKING.isdisjoint(self.effects(one)) for one in every)

    def says_itself(self, file: SourceFile) -> bool:
        """Whether a file is about other ranks whatever it calls: by its imports, by names and variables for them.

        So is one that cannot be read, of which a walk says why.
        """
        unit = self.unit(file)
        if unit not in self._by_itself:
            named = signs.imports_for_many(self._knowledge, unit) or self.asks_who(file) or self._counts_ranks(unit)
            variables = any(map(self._knowledge.env, unit.words))
            self._by_itself[unit] = bool(unit.record.problem) or named or variables or self._shares_data(unit)
        return self._by_itself[unit]

    def _shares_data(self, unit: Unit) -> bool:
        """Whether a file makes, or imports, what gives each rank its share of the data."""
        calls = (
            call.callee.split(" ") for many in unit.functions.values() for one in many for call in one.record.calls
        )
        called = (".".join((unit.origins.get(head, head), *(one.lstrip(".") for one in rest))) for head, *rest in calls)
        rows = (self._knowledge.lookup(name) for name in {*called, *(one.origin for one in unit.record.imports)})
        return any(row is not None and row.kind == "sampler" and row.form == "class" for row in rows)

    @staticmethod
    def _counts_ranks(unit: Unit) -> bool:
        return any(rank_words.ALL_NUMBERS.fullmatch(word.lower()) for word in unit.words)

    def is_program(self, file: SourceFile) -> bool:
        """Whether a file begins a run of several processes, over what it imports."""
        unit = self.unit(file)
        if unit.body is None or not self._leads_to_ranks(unit):
            return False
        return BEGINS in self.effects(unit.body)

    def has_hooks(self, file: SourceFile) -> bool:
        """Whether a framework calls methods of a file's classes that other ranks may notice, by the classes above them.

        That is asked of files that are not about other ranks: over others they may be of a framework all the same.
        """
        unit = self.unit(file)
        classes = [cls for many in unit.classes.values() for cls in many if cls.record.bases]
        hooks = (one for cls in classes for one in self._resolver.hierarchy.hooks(cls, self._knowledge))
        return any(one.unit is unit and not MATTERING.isdisjoint(self.effects(one)) for one in hooks)

    def _leads_to_ranks(self, unit: Unit) -> bool:
        """Whether imports lead from a file to one that is about other ranks."""
        seen, stack = {unit}, [unit]
        while stack:
            one = stack.pop()
            if self.is_about_ranks(one.file):
                return True
            new = set(self.files.importing(one)) - seen
            seen |= new
            stack += new
        return False

    def programs(self) -> list[Unit]:
        """The files whose own statements start processes or speak to other ranks, and those with a part for a start."""
        found = []
        for unit in self.files.every():
            body = unit.body
            effects = self.effects(body) if body is not None else {}
            if unit.record.script or COMMUNICATES in effects or LAUNCHES in effects:
                found.append(unit)
        return found

    def link_all(self) -> None:
        """Link every function of the project."""
        _ = self._linked

    @cached_property
    def _linked(self) -> bool:
        every = [one for unit in self.files.every() for many in unit.functions.values() for one in many]
        with without_collector():
            spread(every, self._linker)
        return True

    def handed_on(self, unit: Unit) -> Iterator[tuple[str, tuple[Thing, ...]]]:
        """What a file imports and does not use itself: it is there for those who import it from here."""
        used = {word for many in unit.functions.values() for one in many for word in one.words()}
        used |= {word for one in unit.record.classes for text in one.bases for word in names_in(text)}
        for name, imports in unit.imports.items():
            if name == "*":
                yield name, tuple(one for star in imports for one in self._all_of(unit, star.module))
            elif name not in used and not all(one.inner for one in imports):
                yield name, self._resolver.member(unit, name)

    def _all_of(self, unit: Unit, module: str) -> Iterator[Thing]:
        """The functions and classes at the top of a module that is imported as a whole."""
        _, other = self.files.imported(unit, module)
        if other is not None:
            yield from (one for many in other.functions.values() for one in many if not one.is_body)
            yield from (one for many in other.classes.values() for one in many)

    def lineage(self, cls: Class) -> tuple[tuple[Class, ...], tuple[str, ...]]:
        """The classes of the project above a class, itself first, and those from outside."""
        return self._resolver.hierarchy.lineage(cls), self._resolver.hierarchy.outside(cls)
