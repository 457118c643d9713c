"""Which functions only compute, what they hang on beside what they are given, and which of them cost something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ddplint.project.index import library
from ddplint.project.index.mattering import MATTERING
from ddplint.project.index.spreading import is_maker

if TYPE_CHECKING:
    from ddplint.project.index.files import Naming
    from ddplint.project.index.records import FunctionRecord
    from ddplint.project.index.units import Function, Unit, Why


_RUN_LATER = frozenset("ya")
BY_NAME = frozenset({"eval", "exec", "getattr", "globals", "locals", "setattr", "vars"})
"""Builtins by which a function may read or write anything."""
_SHORT = 16
"""Lines of a function, with all that it calls, that are walked as fast as looked up."""


@dataclass(frozen=True)
class Reads:
    """What a function that only computes may ask for, with all that it calls.

    ``attributes`` of whatever it is given, ``names`` of functions around it, and the ``globals`` of modules that are no
    definitions. ``given`` is what it calls of its ``params``: their numbers, the words behind them, and whether it is
    known what such a method does. ``open``: it calls something of which nothing is known; ``ends``: it may raise, or
    end the program: whether a call did, a walk of it shows. ``kept`` are attributes that it sets of its own object and
    that nothing else asks for: what it has worked out before.
    """

    attributes: frozenset[str]
    names: frozenset[str]
    globals: tuple[tuple[Unit, str], ...]
    given: tuple[tuple[int, str, bool], ...]
    open: bool
    ends: bool
    params: tuple[str, ...]
    kept: frozenset[str] = frozenset()


class Index(Protocol):
    """What is asked of the index."""

    def effects(self, function: Function) -> Mapping[str, Why]: ...
    def given(self, function: Function) -> Mapping[tuple[int, str], Why]: ...
    def is_common(self, method: str) -> bool: ...
    @property
    def naming(self) -> Naming: ...


def reads_of(index: Index, functions: Sequence[Function]) -> Reads | None:
    """What functions of one name hang on that only compute, and not just a little; ``None`` for others.

    They speak to nobody, touch no file, and change nothing but what they have made themselves, or keep for themselves.
    """
    if not functions or not all(MATTERING.isdisjoint(index.effects(one)) for one in functions):
        return None
    reached = called_below(functions)
    if any(_hides(one.record) or one.record.outer for one in reached) or not _costs(reached):
        return None
    kept = _kept(index, reached)
    if kept is None:
        return None
    if any(not _RUN_LATER.isdisjoint(one.record.signs) for one in functions):
        return None
    words = {word for one in reached for word in _words(one.record)}
    outside = {pair for one in reached for pair in _globals(one)}
    return Reads(
        frozenset(word[1:] for word in words if word[0] == "."),
        frozenset(
            word for one in reached if one.unit is functions[0].unit for word in _words(one.record) if word[0] != "."
        ),
        tuple(sorted(outside, key=lambda pair: (str(pair[0].file.real_path), pair[1]))),
        tuple(sorted({key for one in functions for key in _given(index, one)})),
        any(not _is_known(index, call.callee) for one in reached for call in (*one.open_calls, *one.guessed)),
        any(library.ENDS in index.effects(one) for one in functions),
        tuple(functions[0].record.params),
        kept,
    )


def called_below(functions: Sequence[Function]) -> list[Function]:
    """Linked functions and all that they call, but for what only its name says: a walk does not find that either."""
    found, stack = dict.fromkeys(functions), list(functions)
    while stack:
        new = [edge.target for edge in stack.pop().edges if edge.how != "name" and edge.target not in found]
        found.update(dict.fromkeys(new))
        stack += new
    return list(found)


def called_from_elsewhere(function: Function) -> Iterator[Function]:
    """Who calls a function from elsewhere, itself or over others of its file."""
    seen, stack = {function}, [function]
    while stack:
        for one in stack.pop().callers:
            if one not in seen:
                seen.add(one)
                if one.unit is function.unit:
                    stack.append(one)
                else:
                    yield one


def _given(index: Index, function: Function) -> Iterator[tuple[int, str, bool]]:
    for number, path in index.given(function):
        yield number, path, _is_known(index, path)


def _is_known(index: Index, callee: str) -> bool:
    """Whether it is known what a call does of which only the name of a method is."""
    last = callee.rpartition(" ")[2]
    return last[:1] == "." and index.is_common(last[1:])


def _hides(record: FunctionRecord) -> bool:
    return any(call.callee.partition(" ")[0] in BY_NAME for call in record.calls if " " not in call.callee)


def _kept(index: Index, reached: Sequence[Function]) -> frozenset[str] | None:
    """The attributes that functions set of their own objects, if they alone ask for them; ``None`` where others do.

    Who makes such an object may set them first.
    """
    found: set[str] = set()
    for function in reached:
        for target in _changed(function):
            owner, _, attribute = target.partition(" .")
            if owner != "self" or not attribute.isidentifier() or not function.record.owner:
                return None
            found.add(attribute)
    own = frozenset(reached)
    for attribute in found:
        others = index.naming.functions(attribute) - own
        if not all(map(is_maker, others)) or not others:
            return None
    return frozenset(found)


def _changed(function: Function) -> Iterator[str]:
    """The attributes that it sets of what it has not made itself; what is in containers a walk sees."""
    record = function.record
    own = {name for name, _ in record.assigned if " " not in name} - set(record.params)
    made = record.params[0] if record.params and is_maker(function) else ""
    targets = (*(name for name, _ in record.assigned), *record.summed)
    return (name for name in targets if " ." in name and name.partition(" ")[0] not in (*own, made))


def _costs(reached: Sequence[Function]) -> bool:
    if any("l" in one.record.signs or any(edge.target is one for edge in one.edges) for one in reached):
        return True
    return sum(one.record.last - one.record.first for one in reached) > _SHORT


def _words(record: FunctionRecord) -> Iterator[str]:
    """The names and ``.attributes`` that stand in a function."""
    texts = [*record.reads, *(call.callee for call in record.calls), *(words for _, words in record.assigned)]
    for text in texts:
        yield from (word for word in text.split(" ") if word and (word[0] == "." or word.isidentifier()))


def _globals(function: Function) -> Iterator[tuple[Unit, str]]:
    body = function.unit.body
    if body is None:
        return
    own = {*function.record.params, *(name for name, _ in function.record.assigned)} - {*function.record.outer}
    for word in _words(function.record):
        if word in body.assigned and word not in own:
            yield function.unit, word
