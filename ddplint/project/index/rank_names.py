"""Names that stand where only the number of a process fits, and files that import what speaks to other ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ddplint.knowledge import Knowledge, guesses, rank_words, tables
from ddplint.project.index import library
from ddplint.project.index.linking import arguments
from ddplint.project.index.units import Function, Library, Unit, Why

if TYPE_CHECKING:
    from ddplint.project.index.records import Call
    from ddplint.project.index.resolving import Resolver


SPEAKING = frozenset({library.BEGINS, library.COMMUNICATES, library.RANK, library.WRAPS})
"""What only the author of a program of several processes has a function do."""

_TOGETHER = frozenset({library.LAUNCHES, library.MEETS})
"""What a program does that is not for one process alone."""
_TAKES_RANK = frozenset({"init", "sampler", "loader", "launcher", "starts_ranks"})
"""What an argument ``rank`` of is the number of a process."""
_PLACES = frozenset({".cuda", ".to"})
_DEVICE = "'cuda:{ "
"""How ``f"cuda:{number}"`` stands in a record."""


def does_together(knowledge: Knowledge, unit: Unit, effects: Callable[[Function], Mapping[str, Why]]) -> bool:
    """Whether a file does what only several processes do together.

    An import alone does not show it, unless objects of the package start processes themselves; nor does an object that
    is made where one process is alone as well (``Accelerator``): there it counts what is done with it. ``effects``:
    what a call of a function does.
    """
    every = [one for many in unit.functions.values() for one in many]
    below = [effects(one) for one in every]  # which links each with what it calls: only then its own are known
    own = {effect for one in every for effect in one.own}
    if not _TOGETHER.isdisjoint(own) or imports_a_launcher(knowledge, unit):
        return True
    return library.BEGINS in own and any(not _TOGETHER.isdisjoint(one) for one in below)


def starts_others(knowledge: Knowledge, unit: Unit, effects: Callable[[Function], Mapping[str, Why]]) -> bool:
    """Whether a file starts the ranks of a run itself, or objects of a package that it imports do."""
    every = [one for many in unit.functions.values() for one in many]
    return imports_a_launcher(knowledge, unit) or any(library.SPAWNS in effects(one) for one in every)


def imports_a_launcher(knowledge: Knowledge, unit: Unit) -> bool:
    """Whether objects of a package that a file imports start processes."""
    packages = {one.origin.partition(".")[0] for one in unit.record.imports}
    return any(map(knowledge.starts_processes, packages))


def imports_for_many(knowledge: Knowledge, unit: Unit) -> bool:
    """Whether a file imports a package for programs of several processes, or from one."""
    origins = (f"{one.origin}." for one in unit.record.imports)
    return any(tables.begins("communication", one) or knowledge.is_for_many(one.partition(".")[0]) for one in origins)


def is_for_several(unit: Unit) -> bool:
    """Whether somebody wrote a file who knows of other ranks: by its names, and by what it passes to frameworks."""
    if any(map(rank_words.SEVERAL_PROCESSES.fullmatch, unit.words)) or "distributed" in unit.asked.get("torch", ()):
        return True
    if any(tables.begins("communication", f"{one.origin}.") for one in unit.record.imports):
        return True
    calls = (call for one in unit.record.functions for call in one.calls)
    return any(_asks_for_several(name, words) for call in calls for name, words in call.named)


def _asks_for_several(name: str, words: str) -> bool:
    """Whether an argument of a framework says that several processes are to train, or how."""
    if name == "strategy":
        return rank_words.STRATEGIES.fullmatch(words.removeprefix("'")) is not None
    alone = words in ("'0", "'1") or not words.startswith("'")
    return name in ("devices", "gpus") and (words.endswith(".cuda .device_count ()") or not alone)


class RankNames:
    """The names of a function, or a file, by which it has the number of a process."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._of: dict[Function, frozenset[str]] = {}

    def of_unit(self, unit: Unit) -> frozenset[str]:
        """The names in a file."""
        every = (one for many in unit.functions.values() for one in many)
        return frozenset(name for one in every for name in self.of(one))

    def of(self, function: Function) -> frozenset[str]:
        """The names in a function, last words only: ``gpu`` for ``args.gpu``."""
        if function not in self._of:
            self._of[function] = frozenset()  # while it is worked out
            found = (*self._given(function), *self._kept(function))
            self._of[function] = frozenset(last for words in found if (last := _last(words)))
        return self._of[function]

    def _given(self, function: Function) -> Iterator[str]:
        """What stands in calls for the number of a process."""
        for call in function.record.calls:
            things = self._resolver.evaluate(call.callee, function)
            names = [one.name for one in things if isinstance(one, Library)]
            yield from (words for name in names for words in self._to_library(name, call))
            yield from _to_any(call)
            if len(names) == len(things) and not any(map(self._resolver.knowledge.lookup, names)):
                yield from _to_a_start(call)

    def _to_library(self, name: str, call: Call) -> Iterator[str]:
        row = self._resolver.knowledge.lookup(name)
        if row is not None and row.kind == "device":
            yield from call.given[:1]
        if name == "torch.device" and call.given[:1] == ["'cuda"]:
            yield from call.given[1:2]
        if row is not None and not _TAKES_RANK.isdisjoint(row.roles):
            yield from (words for key, words in call.named if key == "rank")

    def _kept(self, function: Function) -> Iterator[str]:
        """What is set to the number of a process, or given to a function of the project that takes one."""
        for name, words in function.record.assigned:
            if self._is_rank(words, function):
                yield name
            if words.startswith(_DEVICE):
                yield words.removeprefix(_DEVICE)
        for edge in function.edges:
            if edge.how == "direct":
                asked = self.of(edge.target)
                params = edge.target.record.params
                yield from (
                    words for number, words in arguments(edge) if number < len(params) and params[number] in asked
                )

    def _is_rank(self, words: str, function: Function) -> bool:
        knowledge = self._resolver.knowledge
        before, _, key = words.rpartition(" [")
        if before.endswith("environ"):
            row = knowledge.env(key)
            return row is not None and bool(row.rank)
        if not words.endswith(" ()"):
            return False
        things = self._resolver.evaluate(words.removesuffix(" ()"), function)
        rows = (knowledge.lookup(one.name) for one in things if isinstance(one, Library))
        return any(row is not None and row.kind == "rank_source" for row in rows)


def _to_any(call: Call) -> Iterator[str]:
    """The number of a device, whatever is called."""
    given = [*call.given, *(words for _, words in call.named)]
    yield from (words.removeprefix(_DEVICE) for words in given if words.startswith(_DEVICE))
    yield from (words.removeprefix("'[ ") for key, words in call.named if key == "device_ids" and " , " not in words)
    if call.callee.rpartition(" ")[2] in _PLACES:
        yield from call.given[:1]


def _to_a_start(call: Call) -> Iterator[str]:
    """What is called a rank and handed to code that was not found, which by its name makes the process group."""
    if guesses.pattern("sets up").search(call.callee.rpartition(" ")[2]):
        given = (*call.given, *(words for _, words in call.named))
        yield from (words for words in given if _last(words) == "rank")


def _last(words: str) -> str:
    last = words.rpartition(" ")[2].lstrip(".")
    return last if last.isidentifier() else ""
