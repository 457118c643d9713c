"""Which functions and classes of a file are worth a walk, and which only with what they are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from ddplint.knowledge import tables
from ddplint.project.index import library
from ddplint.project.index.records import FunctionRecord
from ddplint.project.index.units import Bound, Class, Function, Object, Thing, Unit, Why


class Index(Protocol):
    """What is asked of the index."""

    def effects(self, function: Function) -> Mapping[str, Why]: ...
    def given(self, function: Function) -> Mapping[tuple[int, str], Why]: ...
    def returned(self, function: Function) -> tuple[Thing, ...]: ...
    def lineage(self, cls: Class) -> tuple[tuple[Class, ...], tuple[str, ...]]: ...
    def handed_on(self, unit: Unit) -> Iterator[tuple[str, tuple[Thing, ...]]]: ...


MATTERING = frozenset(
    {
        library.CHANGES,
        library.COMMUNICATES,
        library.DRAWS,
        library.FILES,
        library.LASTS,
        library.LAUNCHES,
        library.LEARNS,
        library.LOADERS,
        library.ORDERS,
        library.PARTS,
        library.RANK,
        library.REGISTERS,
        library.SEEDS,
        library.WRAPS,
    }
)
"""Effects that other ranks may notice."""


TOLD = "__init_subclass__"
"""What Python calls of a class when another inherits from it."""


@dataclass(frozen=True)
class Worth:
    """A definition that is worth a walk: ``always``, or where one of what it is ``given`` is.

    That is the number of a parameter (of ``__init__``, for a class) and the words of what is called behind it.
    """

    always: bool
    given: tuple[tuple[int, str], ...] = ()


def worth_of(index: Index, unit: Unit) -> Mapping[str, Worth]:
    """The functions and classes at the top of a file that are worth a walk, by name, and those it only re-exports."""
    found: dict[str, Worth] = {}
    for name, many in unit.functions.items():
        if "." not in name and not many[0].is_body:
            _add(found, name, _of_functions(index, many))
    for name, classes in unit.classes.items():
        if "." not in name:
            for cls in classes:
                _add(found, name, _of_class(index, cls))
    for name, things in index.handed_on(unit):
        if name not in found and any(_is_worth_it(index, one) for one in things):
            found[name] = Worth(True)
    return found


def _is_worth_it(index: Index, thing: Thing) -> bool:
    """Whether a definition of another file is ever worth a walk."""
    if isinstance(thing, Function):
        worth = _of_functions(index, [thing])
    elif isinstance(thing, Class):
        worth = _of_class(index, thing)
    else:
        return False
    return worth.always or bool(worth.given)


def digest_of(worth: Mapping[str, Worth]) -> str:
    """A short text that differs where the answers do."""
    return sha256(repr(sorted((name, one.always, one.given) for name, one in worth.items())).encode()).hexdigest()[:16]


def _add(found: dict[str, Worth], name: str, worth: Worth) -> None:
    if worth.always or worth.given:
        found[name] = worth


def _of_functions(index: Index, many: Sequence[Function]) -> Worth:
    functions = [inner for one in many for inner in _with_inner(one)]
    makes = _registers(functions) or any(one.name == "__getattr__" for one in many)  # names of a module, for others
    if makes or any(map(_goes_on, functions)) or any(_matters(index, one) for one in functions):
        return Worth(True)
    if any(_matters(index, one) for top in many for one in _handed_back(index, top)) or any(
        map(_tells_time, functions)
    ):
        return Worth(True)
    if any(_chooses(index, one.cls) for top in many for one in index.returned(top) if isinstance(one, Object)):
        return Worth(True)
    return Worth(False, tuple(sorted({key for one in many for key in index.given(one)})))


def _with_inner(function: Function) -> Iterator[Function]:
    """A function and those that it defines: it may hand them out."""
    yield function
    for _, many in function.inside():
        yield from many


def _handed_back(index: Index, function: Function) -> Iterator[Function]:
    """The functions that a function returns, of other places too, and the methods of the objects that it makes."""
    for thing in index.returned(function):
        if isinstance(thing, (Function, Bound)):
            yield thing if isinstance(thing, Function) else thing.function
        elif isinstance(thing, Class):
            yield from thing.methods
        elif isinstance(thing, Object) and thing.exact:
            yield from (one for above in index.lineage(thing.cls)[0] for one in above.methods)


def _matters(index: Index, function: Function) -> bool:
    return not MATTERING.isdisjoint(index.effects(function))


def _goes_on(function: Function) -> bool:
    """Whether it is a generator without an end: what it gives comes again."""
    return "g" in function.record.signs


def _of_class(index: Index, cls: Class) -> Worth:
    lineage = index.lineage(cls)[0]
    methods = [inner for above in lineage for one in above.methods for inner in _with_inner(one)]
    if _counts(methods) or _averages(methods) or _registers(methods) or any(map(_goes_on, methods)):
        return Worth(True)
    if any(_matters(index, one) for one in methods) or _chooses(index, cls) or any(map(_tells_time, methods)):
        return Worth(True)
    if any(name.partition(".")[0] == _TORCH and name.endswith("Sampler") for name in index.lineage(cls)[1]):
        return Worth(True)  # it says which samples a rank gets
    if any(_matters(index, made) for one in cls.methods for made in _handed_back(index, one)):
        return Worth(True)
    start = next((one for above in lineage for one in above.method("__init__")), None)
    return Worth(False, tuple(sorted(index.given(start))) if start is not None else ())


def _chooses(index: Index, cls: Class) -> bool:
    """A module of torch that uses parts of itself on a condition only, or draws: ranks may not use or draw the same."""
    lineage, outside = index.lineage(cls)
    forward = (one for above in lineage for one in above.method("forward"))
    is_module = any(name in tables.names("module_bases") or name.endswith(_MODEL) for name in outside)
    return is_module and any(not _CHOICES.isdisjoint(index.effects(one)) for one in forward)


_CHOICES = frozenset({library.CHOOSES, library.LOCAL})


_MODEL = "PreTrainedModel"
_TORCH = "torch"


def _counts(methods: Iterable[Function]) -> bool:
    """An object that counts, and holds its count against a limit of its own: it says when to stop."""
    summed = {one for method in methods for one in method.record.summed}
    return any(not summed.isdisjoint(pair) and _is_own(pair) for method in methods for pair in method.record.compared)


def _is_own(pair: Sequence[str]) -> bool:
    return all(words.startswith("self .") for words in pair)


def _tells_time(function: Function) -> bool:
    """Whether it asks the clock, and answers: every rank may hear another answer."""
    record = function.record
    answers = bool(record.returned) or "b" in record.signs
    return library.CLOCK in function.own and answers and "l" not in record.signs


def _averages(methods: Iterable[Function]) -> bool:
    """An object that sums up what it is given, and gives the mean of it."""
    summed = {one for method in methods for one in method.record.summed}
    return any(one in summed for method in methods for one in method.record.divided)


def puts_into_items(record: FunctionRecord) -> bool:
    """Whether a function stores something that it is given under a key."""
    return any(" [" in target and words in record.params for target, words in record.assigned)


def _registers(functions: Sequence[Function]) -> bool:
    """Whether functions of one place store what they are given under a key, and give it back, as decorators do.

    Or they store the classes that inherit from theirs.
    """
    storing = [one.record for one in functions if puts_into_items(one.record)]
    told = any(one.name.endswith(f".{TOLD}") for one in storing)
    return told or (bool(storing) and any(_gives_back(one.record) for one in functions))


def _gives_back(record: FunctionRecord) -> bool:
    own = record.params[bool(record.owner) :]
    return not set(own).isdisjoint(record.returned)
