"""What importing a file puts into registries: its decorators and calls that store the function or class they are given.

``@TASKS.register("translation")``, ``register(evaluate)``, ``TASKS["caption"] = Caption``, a base class that notes who
inherits from it. Nobody names these files again: they are run for what they put there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ddplint.project.index import library
from ddplint.project.index.hierarchy import decorated
from ddplint.project.index.mattering import TOLD, puts_into_items
from ddplint.project.index.units import Bound, Class, Function, Held, Library, Thing, Unit, Why

if TYPE_CHECKING:
    from ddplint.project.index.records import Call
    from ddplint.project.index.resolving import Resolver


_HEARD = frozenset({library.BEGINS, library.COMMUNICATES, library.FILES, library.LAUNCHES, library.LOADERS,
                    library.RANK, library.WRAPS})  # fmt: skip
"""What makes something that is registered worth to be found there."""
_PUTS = frozenset({".add", ".append", ".insert", ".setdefault", ".update", "setattr"})
_DEEP = 4
"""Functions that hand what they are given on to one another before one stores it."""


class Registering:
    """Asks of files what they register."""

    def __init__(self, resolver: Resolver, effects: Callable[[Function], Mapping[str, Why]]) -> None:
        self._resolver = resolver
        self._effects = effects
        self._behind: dict[Unit, tuple[Unit, ...]] = {}
        self._filling: dict[Unit, bool] = {}
        self._storing: dict[Function, bool] = {}
        self._run: dict[Unit, tuple[Unit, ...]] = {}

    def behind(self, unit: Unit) -> tuple[Unit, ...]:
        """The files that an import of a file runs, and that register something which matters."""
        if unit not in self._behind:
            seen, stack = {unit: None}, [unit]
            while stack:
                new = [one for one in self._run_by(stack.pop()) if one not in seen]
                seen.update(dict.fromkeys(new))
                stack += new
            self._behind[unit] = tuple(filter(self._fills, seen))
        return self._behind[unit]

    def _run_by(self, unit: Unit) -> tuple[Unit, ...]:
        """The files that the statements of a file import, with the packages around them."""
        if unit not in self._run:
            files, found = self._resolver.files, dict[Unit, None]()
            for one in files.importing(unit, at_once=True):
                found[one] = None
                name = one.module.name.rpartition(".")[0]
                while name:
                    around = files.imported(one, name)[1]
                    found.update({} if around is None else {around: None})
                    name = name.rpartition(".")[0]
            found.update(dict.fromkeys(self._all_below(unit)))
            self._run[unit] = tuple(found)
        return self._run[unit]

    def _all_below(self, unit: Unit) -> Iterable[Unit]:
        """All modules of a package that imports them by names which it computes."""
        if not unit.module.is_package:
            return ()
        every = (call for many in unit.functions.values() for one in many for call in one.record.calls)
        if not any(self._computes_import(unit, call) for call in every):
            return ()
        return (one for one in self._resolver.files.every() if one.module.name.rpartition(".")[0] == unit.module.name)

    def _computes_import(self, unit: Unit, call: Call) -> bool:
        named = call.callee.rpartition(" ")[2].lstrip(".") in ("import_module", "__import__")
        if not named or unit.body is None or (call.given and call.given[0].startswith("'")):
            return False
        things = self._resolver.evaluate(call.callee, unit.body)
        return any(isinstance(one, Library) and one.name in library.IMPORTERS for one in things)

    def _fills(self, unit: Unit) -> bool:
        if unit not in self._filling:
            self._filling[unit] = any(map(self._is_heard, self._put(unit)))
        return self._filling[unit]

    def _is_heard(self, thing: Thing) -> bool:
        if isinstance(thing, Class):
            every = [one for above in self._resolver.hierarchy.lineage(thing) for one in above.methods]
        else:
            every = [thing] if isinstance(thing, Function) else []
        return any(not _HEARD.isdisjoint(self._effects(one)) or _calls_given(one) for one in every)

    def _put(self, unit: Unit) -> Iterator[Thing]:
        """What the statements of a file register somewhere."""
        body = unit.body
        if body is None:
            return
        for thing, decorators in decorated(unit):
            if any(self._is_stored_by(words.removesuffix(" ()"), body) for words in decorators):
                yield thing
        for call in body.record.calls:
            things = [one for words in call.given for one in self._definitions(words, body)]
            if things and self._is_stored_by(call.callee, body):
                yield from things
        for target, words in body.record.assigned:
            if " [" in target and any(isinstance(one, Held) for one in self._container(target, body)):
                yield from self._definitions(words, body)
        for cls in (one for many in unit.classes.values() for one in many):
            if any(self._stores(one) for one in self._noting(cls)):
                yield cls

    def _definitions(self, words: str, body: Function) -> list[Thing]:
        return [one for one in self._resolver.evaluate(words, body) if isinstance(one, (Class, Function))]

    def _container(self, target: str, body: Function) -> tuple[Thing, ...]:
        return self._resolver.evaluate(target.rpartition(" [")[0], body)

    def _noting(self, cls: Class) -> list[Function]:
        """What the classes above run when a class inherits from them."""
        above = self._resolver.hierarchy.lineage(cls)[1:]
        return next((found for one in above if (found := one.method(TOLD))), [])

    def _is_stored_by(self, words: str, scope: Function, deep: int = 0) -> bool:
        """Whether what an expression stands for stores what it, or what it makes, is given."""
        things = self._resolver.evaluate(words.removesuffix(" ()"), scope) if words else ()
        functions = (one.function if isinstance(one, Bound) else one for one in things)
        return any(isinstance(one, Function) and self._stores(one, deep) for one in functions)

    def _stores(self, function: Function, deep: int = 0) -> bool:
        if function not in self._storing and deep < _DEEP:
            self._storing[function] = False
            inner = (one for _, many in function.inside() for one in many)
            self._storing[function] = any(self._puts_away(one, deep) for one in (function, *inner))
        return self._storing.get(function, False)

    def _puts_away(self, function: Function, deep: int) -> bool:
        record = function.record
        if puts_into_items(record):
            return True
        for call in record.calls:
            given = {*call.given, *(words for _, words in call.named)}
            if not given.isdisjoint(record.params):
                last = call.callee.rpartition(" ")[2]
                if last in _PUTS or self._is_stored_by(call.callee, function, deep + 1):
                    return True
        return False


def _calls_given(function: Function) -> bool:
    """Whether a function calls something that it is given: of a model, that may be something between ranks."""
    return any(not path for _, path in function.given)
