"""Contents that are known way by way: on each rank, on each path, and as each rank's data says."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.content import filled
from ddplint.analysis.domain.content import ways_of as ways_of
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Const, Either, PerRank, Tuple, Value, Varying, per_rank

Entries = tuple["Value", ...]


def is_known(content: Value) -> bool:
    """Whether something is known of what a container holds, on some way at least."""
    return isinstance(content, (Tuple, PerRank, Either)) or bool(ways_of(content))


def keys_of(content: Value) -> list[Const]:
    """The constant keys that a dictionary has on some way."""
    if isinstance(content, Tuple):
        return [one for one in map(_key_of, content.items) if isinstance(one, Const)]
    parts = content.values if isinstance(content, PerRank) else ()
    parts = (content.yes, content.no) if isinstance(content, Either) else parts
    found = [key for part in parts for key in keys_of(part)] or [key for way in ways_of(content) for key in way]
    return list(dict.fromkeys(found))


def changed(content: Value, change: Callable[[Entries], Entries]) -> Value:
    """A content after the same change on every way on which it is known."""
    if isinstance(content, Tuple):
        return Tuple(change(content.items))
    if isinstance(content, PerRank):
        return per_rank(tuple(changed(one, change) for one in content.values), content.trail)
    if isinstance(content, Either) and content.local is None:
        return either(content.symbol, changed(content.yes, change), changed(content.no, change))
    if isinstance(content, Varying) and (ways := ways_of(content)):
        return filled([Tuple(change(way)) for way in ways], content)
    return content


def with_key(content: Value, key: Const) -> Value:
    """The content of a dictionary after ``dictionary[key] = …``."""
    return changed(content, lambda entries: entries if key in entries else (*entries, key))


def with_entry(content: Value, entry: Tuple) -> Value:
    """The content of a dictionary after ``setdefault`` with a key that nobody knows."""
    key = entry.items[0]
    return changed(content, lambda seen: seen if key in map(_key_of, seen) else (*seen, entry))


def without_key(content: Value, key: Const) -> Value:
    """The content of a dictionary after ``del dictionary[key]``."""
    return changed(content, lambda entries: tuple(one for one in entries if _key_of(one) != key))


def _key_of(entry: Value) -> Value:
    return entry.items[0] if isinstance(entry, Tuple) and entry.items else entry


def has_key(content: Value, key: Const) -> bool | None:
    """Whether a key is there on every way (True), or on none (False); None where ways differ or nobody knows."""
    if isinstance(content, Tuple):
        known = all(isinstance(_key_of(one), Const) for one in content.items)
        return True if any(_key_of(one) == key for one in content.items) else False if known else None
    if isinstance(content, PerRank):
        return _agreed(has_key(one, key) for one in content.values)
    if isinstance(content, Either):
        return _agreed(has_key(one, key) for one in (content.yes, content.no))
    return _agreed(key in way for way in ways_of(content))


def _agreed(answers: Iterable[bool | None]) -> bool | None:
    seen = set(answers)
    return seen.pop() if len(seen) == 1 else None


def united(content: Value, more: Value) -> Value | None:
    """What a dictionary has after it was updated with another: None where the keys of one of them are not known."""
    first, second = ways_of(content), ways_of(more)
    local = next((one for one in (more, content) if isinstance(one, Varying)), None)
    if not first or not second or local is None:
        return None
    both = [Tuple((*one, *(key for key in other if key not in one))) for one in first for other in second]
    return filled(both, local)


def _is_of_a_round(what: Symbol) -> bool:
    """Whether a question is asked in each round of a loop anew: of its number, or of what it goes over."""
    return any(part.is_fresh("round", "index", "element") for part in what.within(limits.TERM_PARTS))


def on_paths(content: Value) -> list[tuple[Value, Value]] | None:
    """The elements of a list that options of the program have filled, each with what says whether it is there.

    None where the content is not known on some path, or paths have elements in another order. Rounds of a loop are no
    options: of what they have put there, nobody knows how many there are, and what was changed of them since.
    """
    if isinstance(content, Tuple):
        return [(one, Const(True)) for one in content.items]
    if not isinstance(content, Either) or content.local is not None or _is_of_a_round(content.symbol):
        return None
    yes, no = on_paths(content.yes), on_paths(content.no)
    if yes is None or no is None:
        return None
    merged: list[tuple[Value, Value]] = []
    while yes or no:
        here, there = (next((one for one, _ in part), None) for part in (yes, no))
        if here is not None and here == there:
            merged.append((here, either(content.symbol, yes.pop(0)[1], no.pop(0)[1])))
        elif here is not None and all(one != here for one, _ in no):
            merged.append((here, either(content.symbol, yes.pop(0)[1], Const(False))))
        elif there is not None and all(one != there for one, _ in yes):
            merged.append((there, either(content.symbol, Const(False), no.pop(0)[1])))
        else:
            return None
    return merged
