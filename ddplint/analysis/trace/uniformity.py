"""Whether a value is the same for all ranks, and what names and symbols say of ranks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.constants import apart, fixed
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import (
    Const,
    Either,
    External,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    parts_of,
)
from ddplint.knowledge import rank_words
from ddplint.source.words import words_in
from ddplint.util.kept import kept


def same_for_all(value: Value | None, *, clock: bool = False, disk: bool = False) -> bool:
    """Whether a value is surely equal on all ranks: nothing in it names the rank or was seen by a rank alone.

    With ``clock`` the time may be in it, which ranks that run in step read alike more often than not; with ``disk``
    what they found on a disk.
    """
    if isinstance(value, (Either, Tuple, Object)):
        return all(same_for_all(part, clock=clock, disk=disk) for part in inner(value))
    if isinstance(value, Varying):
        alike = (clock and value.reason is Reason.CLOCK) or (disk and value.reason is Reason.FILESYSTEM)
        return alike and not _names_a_part(value.symbol)
    if isinstance(value, Unknown):
        return not _names_a_part(value.symbol)
    return value is not None and not isinstance(value, PerRank)


def _names_a_part(what: Symbol) -> bool:
    """Whether a symbol may hold who the process is, in a way that the walk could not follow."""
    return mentions(what, rank_words.WHO_A_PROCESS_IS) or _is_of_a_group(what.whole)


@kept
def _is_of_a_group(what: Symbol, depth: int = 12) -> bool:
    """Whether it holds what the ranks of one group have agreed on: other groups have their own."""
    if isinstance(what, terms.Agreed):
        return what.group not in ("", "of")
    inside = (terms.term_of(part) for part in what.content)
    return depth > 0 and any(_is_of_a_group(part.whole, depth - 1) for part in inside if part is not None)


def is_about_ranks(what: Symbol) -> bool:
    """Whether a condition may ask who the process is, or whether there are others."""
    return mentions(what, rank_words.WHO_A_PROCESS_IS, texts=True) or mentions(what, rank_words.PARALLEL)


def mentions(what: Symbol, words: re.Pattern[str], *, texts: bool = False, depth: int = 24) -> bool:
    """Whether a name in a symbol (with ``texts`` also a text in it) matches, or the symbol is too deep to tell.

    What all ranks have agreed on is about none of them. Of one that is too large, only what it was kept by is asked.
    """
    if isinstance(what, terms.Agreed):
        return False
    return depth == 0 or any(mentioned(part, words, texts, depth) for part in what.content)


def mentioned(part: object, words: re.Pattern[str], texts: bool, depth: int) -> bool:
    """Whether a part of a symbol is, or holds, a name that matches (with ``texts`` also a text)."""
    if isinstance(part, (PerRank, Varying)):
        return True
    what = terms.term_of(part)
    if what is not None:
        return _symbol_mentions(what, words, texts, depth - 1)
    if isinstance(part, Object) and _is_loader(part.name):
        return False  # how long it is, say: prepared loaders are as long everywhere
    if isinstance(part, External) and _is_constant(part.name):
        return False
    part = getattr(part, "function", part)  # of a method, or of an attribute that no table knows
    name = part if isinstance(part, str) else getattr(part, "name", "")
    if texts and isinstance(part, Const):
        name = part.value
    return isinstance(name, str) and words.search(name.lower()) is not None


def _is_constant(name: str) -> bool:
    """Whether it is of a package that the tables know and no row is about: a member of ``StateDictType``."""
    from ddplint.knowledge import load_knowledge

    knowledge = load_knowledge()
    return name.partition(".")[0] in knowledge.quiet("packages") and knowledge.lookup(name) is None


def _is_loader(name: str) -> bool:
    from ddplint.knowledge import load_knowledge

    row = load_knowledge().lookup(name)
    return row is not None and row.kind == "loader"


@kept
def _symbol_mentions(what: Symbol, words: re.Pattern[str], texts: bool, depth: int) -> bool:
    return mentions(what.whole, words, texts=texts, depth=depth)


def agree(first: Mapping[Any, bool], second: Mapping[Any, bool]) -> bool:
    """Whether two places may be reached in one run: no unknown is true here and false there, or another constant."""
    if any(second.get(what, known) is not known for what, known in first.items()):
        return False
    values = fixed(second)
    if values and apart(fixed(first), values):
        return False
    return not (_excludes(first, second) or _excludes(second, first))


def _excludes(path: Mapping[Any, bool], other: Mapping[Any, bool]) -> bool:
    """Whether the single conditions of one path decide a compound one of another the other way."""
    return any(
        isinstance(what, terms.Compound) and _decided(what, path) is (not known) for what, known in other.items()
    )


def _decided(what: object, path: Mapping[Any, bool]) -> bool | None:
    """What a condition is on a path; None where that is not known."""
    known = path.get(what) if isinstance(what, Symbol) else None
    if known is not None:
        return known
    if isinstance(what, terms.Not):
        inner = _decided(what.inner, path)
        return None if inner is None else not inner
    if not isinstance(what, terms.Junction):
        return None
    parts = (_decided(what.first, path), _decided(what.second, path))
    if what.decisive in parts:
        return what.decisive
    return None if None in parts else not what.decisive


def names_ranks(code: cst.CSTNode) -> bool:
    """Whether code has a word that may ask who the process is."""
    return any(
        rank_words.SEVERAL_PROCESSES.fullmatch(word)
        or rank_words.ASKS_FOR_RANKS.search(word)
        or rank_words.WHO_A_PROCESS_IS.search(word.lower())
        for word in words_in(code)
    )


def depends_on_a_part(path: Mapping[Symbol, bool]) -> bool:
    """Whether a condition that the walk could not follow may say which ranks take a path.

    A variable of the environment that is not set is not set anywhere.
    """
    asked = (what for what, known in path.items() if known or not isinstance(what, terms.Environment))
    return any(map(_names_identity, asked))


@kept
def _names_identity(what: Symbol) -> bool:
    asked = what.whole
    if isinstance(asked, terms.Not) and isinstance(asked.inner, Symbol):
        return _names_identity(asked.inner)
    if isinstance(asked, terms.Attr) and _is_switch(asked.name):
        return mentioned(asked.base, rank_words.WHO_A_PROCESS_IS, True, 24)
    return mentions(asked, rank_words.WHO_A_PROCESS_IS, texts=True)


def _is_switch(name: object) -> bool:
    """Whether an option that is asked by itself switches something on: ``if args.shard:``, and not ``== 0``."""
    if not isinstance(name, str):
        return False
    rest = rank_words.PARTS_THAT_COUNT_FROM_ZERO.sub("", name.lower())
    return rank_words.WHO_A_PROCESS_IS.search(rest) is None


def one_of_each_part(path: Mapping[Symbol, bool]) -> bool:
    """Whether a path asks for the first rank of each data-parallel group, and for nothing else.

    Where a model is split over several ranks, as many come there as it has parts.
    """
    asked = [(what, known) for what, known in path.items() if _names_identity(what)]
    names = {name for what, _ in asked for name in _memberships(what)}
    return bool(names) and all(known for _, known in asked) and all(map(rank_words.DATA_PARALLEL_RANK.search, names))


def _memberships(what: object, depth: int = 8) -> Iterator[str]:
    """The calls that give the ranks within groups which a condition is about; other names of ranks as they are."""
    term = terms.term_of(what)
    if isinstance(term, terms.Membership):
        yield "one_of_each_part" if "one_of_each_part" in term.parts else "membership"
        return
    for part in term.content if depth and term is not None else ():
        if isinstance(part, str) and rank_words.WHO_A_PROCESS_IS.search(part.lower()):
            yield part
        elif not isinstance(part, str):
            yield from _memberships(part, depth - 1)


def parts(value: Value | None) -> Iterator[Value]:
    """A value and what it is made of."""
    if value is not None:
        yield value
        for part in inner(value):
            yield from parts(part)


def inner(value: object) -> tuple[Value, ...]:
    """The values that a choice, a tuple or an object of a library was made of."""
    return value.args if isinstance(value, Object) else parts_of(value)


def differing(values: Iterable[Value]) -> PerRank | Varying | None:
    """The first of the values that differs between ranks."""
    return next((part for value in values for part in parts(value) if isinstance(part, (PerRank, Varying))), None)
