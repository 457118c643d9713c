"""Symbols: interned names for what the walk does not know but which is the same on all ranks.

Two reads of ``args.amp`` give the same symbol, so ``if args.amp: ... if args.amp: ...`` is understood as one decision.
Symbols are interned: equality is identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.term import GIVEN as GIVEN
from ddplint.analysis.domain.term import (
    TAINTED,
    Big,
    Compound,
    Fresh,
    In,
    Junction,
    Len,
    Not,
    Operation,
    class_of,
    counters_of,
)
from ddplint.analysis.domain.term import Symbol as Symbol
from ddplint.knowledge import rank_words

CUT = "cut"
"""The head of what a slice leaves of a tensor: along which dimension of how many, from and up to where."""

_BOUNDS = frozenset({"<", "<=", ">", ">="})
_PARTS = frozenset({"/", "//"})
_OFFSETS = frozenset({"+", "-"})


_table: dict[tuple[object, ...], Symbol] = {}
_counter = count()


def symbol(*key: object) -> Symbol:
    """The symbol with this structure; parts are strings, constants or symbols. Large ones become opaque."""
    found = _table.get(key)
    if found is None:
        found = class_of(key[0])()
        found.structure = found.made_of = key
        size, rank_dependent, tainted = 1, False, key[0] == TAINTED
        for part in key:
            if isinstance(part, Symbol):
                size += part.size
                tainted = tainted or part.tainted
                rank_dependent = rank_dependent or part.rank_dependent
            elif not rank_dependent:
                rank_dependent = _is_rank_dependent(part)
        found.size, found.rank_dependent, found.tainted, found.shared = size, rank_dependent, tainted, ()
        if size > (limits.CONDITION_SIZE if isinstance(found, Compound) else limits.TERM_SIZE):
            kept: list[object] = ["membership"] if found.rank_dependent else []
            kept += list(dict.fromkeys(counters_of(found)))[: limits.TERM_COUNTERS]
            found = _opaque(found)
            found.structure = ("big", next(_counter), *kept, *([GIVEN] if key[-1] == GIVEN else []))
            found.size = 1
        _table[key] = found
    return found


def there(what: Symbol) -> Symbol:
    """The same, known not to be ``None``."""
    return symbol(*what.made_of, GIVEN)


def also_of(what: Symbol, *more: object) -> Symbol:
    """The same, worked out from more than that."""
    return symbol(*what.made_of[:-1], *more, GIVEN) if what.is_there else symbol(*what.made_of, *more)


def _opaque(term: Symbol) -> Big:
    """What stands for a term that is too large."""
    found = Big()
    found.made_of, found.shared = term.structure, term.shared
    found.rank_dependent, found.tainted = term.rank_dependent, term.tainted
    return found


def decision(head: str, *parts: Symbol) -> Symbol | None:
    """A condition made of others, which keeps its structure where a value would not; None if it is too large for that.

    Only paths and choices are named by it.
    """
    size = 1 + sum(part.size for part in parts)
    if size <= limits.TERM_SIZE:
        return symbol(head, *parts)
    key = (head, *parts)
    found = _decisions.get(key)
    if found is None and size <= limits.DECISION_SIZE:
        found = _decisions[key] = class_of(head)()
        found.structure = found.made_of = key
        found.size, found.shared = size, ()
        found.tainted = any(part.tainted for part in parts)
        found.rank_dependent = any(part.rank_dependent for part in parts)
    return found


_decisions: dict[tuple[object, ...], Symbol] = {}


def _is_counter(part: object) -> bool:
    return isinstance(part, Fresh) and part.is_counter


def undecided(what: Symbol) -> Iterator[tuple[Symbol, bool]]:
    """What holds on all ranks where they see a condition differently: the shared parts do not decide it alone."""
    if isinstance(what, Junction):
        for part in what.shared:
            yield part, not what.decisive
    if isinstance(what, Compound):
        for inner in what.symbols:
            if inner not in what.shared:
                yield from undecided(inner)


def asked_in(what: Symbol) -> Iterator[Symbol]:
    """A condition, or the conditions that it is made of by ``and``, ``or`` and ``not``."""
    if isinstance(what, Compound):
        for part in what.symbols:
            yield from asked_in(part)
    else:
        yield what


def watched(what: Symbol) -> frozenset[Symbol]:
    """A compound condition and all that it is made of by ``and``, ``or`` and ``not``."""
    found = _watched.get(what)
    if found is None:
        inner = (watched(part) if isinstance(part, Compound) else {part} for part in what.symbols)
        found = _watched[what] = frozenset({what}).union(*inner)
    return found


_watched: dict[Symbol, frozenset[Symbol]] = {}


def turn_of(what: Symbol, numbers: frozenset[Symbol]) -> Symbol | None:
    """The number of a round that a condition waits for (``index == own``), or whose list it looks into.

    ``index % n == own`` holds in many iterations.
    """
    made = what.whole
    asked: Iterable[object] = ()
    if isinstance(made, Operation) and made.sign == "==":
        asked = made.operands
    elif isinstance(made, In):
        asked = what.within(limits.TERM_PARTS)
    found = numbers.intersection(asked)
    return next(iter(found)) if len(found) == 1 else None


def is_divided(what: Symbol) -> bool:
    """Whether a number is worked out by a division: of all processes, a part."""
    inside = (part.whole for part in what.within(limits.TERM_PARTS))
    return any(isinstance(made, Operation) and made.sign in _PARTS for made in inside)


def measured(what: Symbol) -> Symbol | None:
    """What a number is the length of."""
    return what.of if isinstance(what, Len) and isinstance(what.of, Symbol) else None


def later(what: Symbol) -> bool | None:
    """What a condition that compares the number of a round is from some round on: ``index < least`` is false."""
    made = what.whole
    if isinstance(made, Not):
        inner = _later(made.inner)
        return None if inner is None else not inner
    if isinstance(made, Junction):
        return made.decisive if made.decisive in map(_later, made.parts) else None
    if not isinstance(made, Operation) or made.sign not in _BOUNDS:
        return None
    first, second = map(_counts, made.operands[:2])
    return None if first == second else first is (made.sign in (">", ">="))


def _later(part: object) -> bool | None:
    return later(part) if isinstance(part, Symbol) else None


def _counts(part: object) -> bool:
    """Whether a part of a comparison is the number of a round, or that and a number (``index + 1``)."""
    if isinstance(part, Operation) and part.sign in _OFFSETS:
        number, offset = part.operands[:2]
        return _is_counter(number) and not isinstance(offset, Symbol)
    return _is_counter(part)


def _is_rank_dependent(part: object) -> bool:
    """Whether a part other than a symbol names ranks."""
    name = part if type(part) is str else getattr(part, "value", None)
    return type(name) is str and names_ranks(name)


@lru_cache(maxsize=8192)
def names_ranks(name: str) -> bool:
    """Whether a name is that of a rank or of a main process."""
    return name == "membership" or rank_words.RANK_IN_A_NAME.search(name) is not None


def fresh(what: str) -> Symbol:
    """A symbol that equals no other."""
    found = Fresh()
    found.structure = found.made_of = ("fresh", what, next(_counter))
    found.size, found.tainted, found.shared = 1, False, ()
    found.rank_dependent = names_ranks(what)
    return found


def numbered(what: str, *key: object) -> Symbol:
    """A symbol without structure that stands for ``key``: the same for the same key, and small."""
    name = ("numbered", what, *key)
    found = _table.get(name)
    if found is None:
        found = _table[name] = fresh(what)
        _keys[found] = key
    return found


def key_of(number: object) -> tuple[object, ...]:
    """What a symbol of :func:`numbered` stands for; nothing for any other."""
    return _keys.get(number, ())


_keys: dict[object, tuple[object, ...]] = {}


def reset() -> None:
    """Forget all symbols (between files, so that memory stays bounded)."""
    _table.clear()
    _keys.clear()
    _decisions.clear()
    _watched.clear()
