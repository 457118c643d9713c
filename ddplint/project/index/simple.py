"""Which definitions only decide by what they are given: a few lines without a loop that call nothing unknown.

``def improved(score, best): …``, a class that counts its calls. To walk them costs next to nothing, wherever they
stand, and says exactly what otherwise anything might be. All of it is read off the record of one file.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from ddplint.project.index import library
from ddplint.project.index.purity import BY_NAME
from ddplint.project.index.records import MODULE

if TYPE_CHECKING:
    from ddplint.knowledge import Knowledge
    from ddplint.project.index.records import FunctionRecord
    from ddplint.project.index.units import Class, Function, Unit


_MOST_LINES = 60
_DECIDES = frozenset("bc")
"""The signs that such a function may have: it answers, and what another one gives decides where it goes."""
_BUILTINS = frozenset(dir(builtins)) - BY_NAME


class Index(Protocol):
    """What is asked of the index."""

    def is_common(self, method: str) -> bool: ...


def simple_definitions(index: Index, knowledge: Knowledge, unit: Unit, name: str) -> frozenset[str]:
    """The names of a definition at the top of a file and of those that it calls, where all of them are simple."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in found or one == MODULE:
            continue
        asked = _asked(index, knowledge, unit, one)
        if asked is None:
            return frozenset()
        found.add(one)
        waiting += asked
    return frozenset(found)


def _asked(index: Index, knowledge: Knowledge, unit: Unit, name: str) -> Iterable[str] | None:
    """The names that a definition has from its module; ``None`` where it is not simple, or there is none."""
    functions, classes = unit.functions.get(name, []), unit.classes.get(name, [])
    if len(functions) + len(classes) != 1:
        return None
    if functions:
        read = _of_function(index, functions[0]) if functions[0].record.params else None
    else:
        read = _of_class(index, classes[0])
    return None if read is None else [one for one in read if not _is_known(knowledge, one)]


def _is_known(knowledge: Knowledge, name: str) -> bool:
    """Whether a name is a builtin that does nothing which others may notice."""
    return name in _BUILTINS and not any(library.called(knowledge, f"builtins.{name}"))


def _of_function(index: Index, function: Function, decorated: bool = False) -> set[str] | None:
    """The names that a function has from around it; ``None`` where it is not simple."""
    inside = [one for _, many in function.inside() for one in many]
    records = [one.record for one in (function, *inside)]
    if (function.record.decorators and not decorated) or any(one.decorators for one in records[1:]):
        return None
    if function.record.last - function.record.first > _MOST_LINES or not all(_is_plain(index, one) for one in records):
        return None
    own = {name for one in records for name in _own(one)} | {one.name.rpartition(".")[2] for one in records[1:]}
    return {name for one in records for name in _read(one)} - own


def _of_class(index: Index, cls: Class) -> set[str] | None:
    """The same of a class without bases whose objects change after they are made; others are what they are made of."""
    record = cls.record
    if record.bases or record.decorators or record.last - record.first > _MOST_LINES or not cls.method("__init__"):
        return None
    if not any(_sets_own(one.record) for one in cls.methods if one.name != f"{cls.name}.__init__"):
        return None
    if any(words != "property" for one in cls.methods for words in one.record.decorators):
        return None
    read = {words.partition(" ")[0] for _, words in record.fields if words and words[0] != "'"}
    for one in cls.methods:
        more = _of_function(index, one, decorated=True)
        if more is None:
            return None
        read |= more
    return read - {name for name, _ in record.fields}


def _sets_own(record: FunctionRecord) -> bool:
    targets = (*(name for name, _ in record.assigned), *record.summed)
    return any(name.startswith("self .") for name in targets)


def _is_plain(index: Index, record: FunctionRecord) -> bool:
    """Whether a function has no loop and nothing that runs later, raises nothing and calls nothing but by a name."""
    if not _DECIDES.issuperset(record.signs) or record.raised or record.outer:
        return False
    return all(_may_be_called(index, call.callee) for call in record.calls)


def _may_be_called(index: Index, callee: str) -> bool:
    """A name is looked at later on: a builtin, or another simple definition."""
    before, _, last = callee.rpartition(" ")
    if last[:1] == ".":
        return before == "self" or index.is_common(last[1:])
    return last.isidentifier() and not before


def _own(record: FunctionRecord) -> Iterator[str]:
    yield from record.params
    yield from (name for name, _ in record.assigned)


def _read(record: FunctionRecord) -> Iterator[str]:
    """The names that stand in a function."""
    for words in (*record.reads, *(call.callee for call in record.calls)):
        head = words.partition(" ")[0]
        if head.isidentifier():
            yield head
