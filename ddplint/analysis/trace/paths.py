"""Paths as the walk knows them: sequences of names, some of them unknown but the same wherever they come from."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, Either, Instance, Object, PerRank, Unknown, Value, Varying
from ddplint.knowledge import guesses

Name = tuple[object, ...]
Path = tuple[Name, ...]

_SAME_PLACE = frozenset(
    {
        "os.path.abspath",
        "os.path.realpath",
        "os.path.normpath",
        "os.path.expanduser",
        "os.fspath",
        "builtins.str",
        "str",
    }
)
_SAME_BY_METHOD = frozenset({"as_posix", "resolve", "absolute", "expanduser"})
_WILD = re.compile(r"[*?]|\[.*\]")
TESTS = frozenset({"exists", "is_file", "is_dir"})
"""Methods of paths that ask for them."""

_FOLDER, _LAST = "os.path.dirname", "os.path.basename"


def path_of(value: Value | None, rank: int = 0) -> Path:
    """The names a path is made of as a rank sees it, outermost first; empty where nothing is known about it."""
    return tuple(_names(_atoms(value, rank))) if value is not None else ()


def path_of_pieces(parts: Iterable[object]) -> Path:
    """The same of pieces of text, and what stands between them."""
    return tuple(_names(iter(parts)))


def all_paths(value: Value | None, rank: int = 0) -> frozenset[Path]:
    """The path, or each of those it is on one way through the program or another."""
    if isinstance(value, PerRank):
        return all_paths(value.values[rank], rank)
    if isinstance(value, Either):
        return all_paths(value.yes, rank) | all_paths(value.no, rank)
    if isinstance(value, Object) and value.name.startswith("pathlib.") and value.args:
        return all_paths(value.args[0], rank)
    return frozenset({path_of(value, rank)} - {()})


def is_given_by_caller(value: Value | None) -> bool:
    """Whether the name of a file, or its whole path, is a parameter that somebody else chose.

    The count of a run (``epoch``) and what the settings of a run say (``args.out``) are the same for all. Where it is
    one of several, each of them is asked, not what decides between them.
    """
    return any(not path or any(is_given(part) for part in path[-1]) for path in map(path_of, _ways(value)))


def is_named_by_caller(value: Value | None) -> bool:
    """The same of any part of a path, its folders too."""
    return any(is_given(part) for path in map(path_of, _ways(value)) for name in path for part in name)


def _ways(value: object, depth: int = 4) -> Iterator[Value | None]:
    """A path, or each of those that were joined where the ways through the program meet."""
    if isinstance(value, Either) and depth:
        yield from _ways(value.yes, depth - 1)
        yield from _ways(value.no, depth - 1)
        return
    term = terms.term_of(value)
    parts = [part for part in term.ways if isinstance(part, Symbol)] if isinstance(term, terms.Joined) else []
    if len(parts) < 2 or not depth:
        yield value  # type: ignore[misc]
        return
    for part in parts:
        yield from _ways(Unknown(part), depth - 1)


def is_given(part: object, depth: int = 8, inside: bool = False) -> bool:
    """Whether something is, or is made of, a parameter that somebody else chose."""
    term = terms.term_of(part)
    if isinstance(term, terms.Parameter):
        return guesses.pattern("settings" if inside else "counts").fullmatch(term.name) is None
    inside = isinstance(term, (terms.Attr, terms.Item))
    return depth > 0 and any(is_given(inner, depth - 1, inside) for inner in _parts(term))


def given_names(value: Value | None) -> frozenset[str]:
    """The names of the parameters that the name of a file is made from."""
    return _given_names(path_of(value)[-1:])


def all_given_names(value: Value | None) -> frozenset[str]:
    """The names of the parameters that a path is made from, its folders too."""
    return _given_names(path_of(value))


def _given_names(path: Path) -> frozenset[str]:
    return frozenset(name for part in path for piece in part for name in _parameters(piece))


def _parameters(part: object, depth: int = 8) -> Iterator[str]:
    term = terms.term_of(part)
    if isinstance(term, terms.Parameter):
        yield term.name
    elif depth:
        for inner in _parts(term):
            yield from _parameters(inner, depth - 1)


def is_an_element(value: Value | None) -> bool:
    """Whether the name of a file comes out of a collection that is not known, and may be the rank's own."""
    path = path_of(value)
    return bool(path) and any(holds(part, "element") for part in path[-1])


def is_named_by_elements(value: Value | None) -> bool:
    """Whether the elements of collections stand in the name of a file as they are, not something that they hold."""
    pieces = [terms.term_of(piece) for piece in path_of(value)[-1] if holds(piece, "element")]
    return all(isinstance(piece, terms.Fresh) for piece in pieces)


def set_later_in(value: Value | None) -> Iterator[str]:
    """The variables in the name of a file that code sets which was not walked, perhaps on one rank alone.

    An attribute of an object is meant by its name, another variable by nothing.
    """
    for term in (term for name in path_of(value)[-1:] for part in name for term in terms.terms_in(part)):
        if isinstance(term, terms.SetLater):
            yield term.name if isinstance(term.owner, Instance) else ""


def is_set_later(part: object) -> bool:
    """Whether such a variable is in a condition."""
    return any(isinstance(term, terms.SetLater) for term in terms.terms_in(part))


def holds(part: object, *kinds: str) -> bool:
    """Whether an unknown of one of these kinds is in a name, also in one that is too large to be looked into."""
    return any(term.is_fresh(*kinds) for term in terms.terms_in(part))


def _parts(term: Symbol | None) -> tuple[object, ...]:
    return term.parts if term is not None else ()


def within(inner: Path, outer: Path) -> bool:
    """Whether ``inner`` is ``outer`` or something in that folder."""
    return bool(outer) and inner[: len(outer)] == outer


def touch(first: Path, second: Path) -> bool:
    """Whether one of two paths is the other or holds it."""
    return within(first, second) or within(second, first)


def pieces(value: Value, rank: int = 0) -> tuple[object, ...]:
    """Known pieces of a text as a rank sees it, and what stands between them."""
    return tuple(_atoms(value, rank))


def _atoms(value: object, rank: int) -> Iterator[object]:
    """Known pieces of text, and what stands between them."""
    if isinstance(value, PerRank):
        yield from _atoms(value.values[rank], rank)
    elif isinstance(value, Const):
        yield str(value.value)
    elif isinstance(value, Object):
        if value.name.startswith("pathlib.") and value.args:
            yield from _atoms(value.args[0], rank)
        else:
            yield value
    else:
        yield from _unknown(value, rank)


def _unknown(value: object, rank: int) -> Iterator[object]:
    term = terms.term_of(value)
    whole = _put_together(term)
    if whole:
        for part in whole:
            yield from _atoms(part, rank)
        return
    called = term.name if isinstance(term, terms.Call) and len(term.args) == 1 else None
    names = tuple(_names(_atoms(term.last, rank))) if term is not None and called in (_FOLDER, _LAST) else ()
    if len(names) > 1:
        yield from _text(names[:-1] if called == _FOLDER else names[-1:])
    else:
        yield value.symbol if isinstance(value, (Unknown, Varying)) else value


def _put_together(term: Symbol | None) -> tuple[object, ...]:
    """The texts of which one is made, or the one that another is the same path as."""
    if isinstance(term, terms.Text):
        return term.parts
    if isinstance(term, terms.Operation) and term.sign == "+":
        return term.operands
    if isinstance(term, terms.Call) and len(term.args) == 1 and term.name in _SAME_PLACE:
        return term.args
    return (term.receiver,) if isinstance(term, terms.Method) and term.name in _SAME_BY_METHOD else ()


def _text(names: Path) -> Iterator[object]:
    """The pieces of text that make these names."""
    for number, name in enumerate(names):
        yield from ("/",) if number else ()
        yield from name


def _names(atoms: Iterator[object]) -> Iterator[Name]:
    """The pieces, cut at the slashes."""
    name: list[object] = []
    for atom in atoms:
        if not isinstance(atom, str):
            name.append(atom)
            continue
        first, *others = atom.replace("\\", "/").split("/")
        if name and isinstance(name[-1], str):
            name[-1] += first
        else:
            name += [first] if first else []
        for part in others:
            if name and name != ["."]:
                yield tuple(name)
            name = [part] if part else []
    if name and name != ["."]:
        yield tuple(name)


def folder_of(path: Path) -> Path:
    """The path itself, or the folder that a pattern is searched in."""
    return path[:-1] if path and _is_pattern(path[-1]) else path


def ways(value: Value | None, rank: int, known: Mapping[Symbol, bool]) -> Iterator[Value | None]:
    """What a path may be as a rank sees it where some decisions are ``known``: each of those that were joined."""
    yield from _ways(_assumed(value.values[rank] if isinstance(value, PerRank) else value, known))


def _assumed(value: Value | None, known: Mapping[Symbol, bool]) -> Value | None:
    """A value where some decisions are known."""
    while isinstance(value, Either) and (taken := known.get(value.symbol)) is not None:
        value = value.yes if taken else value.no
    return value


def where(value: Value, known: Mapping[Symbol, bool]) -> Value:
    """A value with what is ``known`` of all decisions in it, the inner ones too."""
    if isinstance(value, PerRank):
        return PerRank(tuple(where(one, known) for one in value.values), value.trail)
    if not isinstance(value, Either):
        return value
    arms = [value.yes, value.no] if value.symbol not in known else [value.yes if known[value.symbol] else value.no]
    first, *others = (where(one, known) for one in arms)
    return first if all(one == first for one in others) else replace(value, yes=first, no=others[0])


def _is_pattern(name: Name) -> bool:
    return any(isinstance(piece, str) and _WILD.search(piece) for piece in name)


def fits(path: Path, listed: Path) -> bool:
    """Whether a listing of a folder, or by a pattern in it, may give a path.

    Where parts of either are not known: what the pattern begins and ends with is what the name has.
    """
    pattern = listed[-1:]
    if not pattern or not path or not _is_pattern(pattern[0]):
        return True
    below = len(listed) <= len(path) and listed[:-1] == path[: len(listed) - 1]
    entry = path[len(listed) - 1] if below else path[-1]
    whole, name = pattern[0][0], entry[0]
    if len(pattern[0]) == len(entry) == 1 and isinstance(whole, str) and isinstance(name, str):
        return fnmatch.fnmatchcase(name, whole)
    begin, end = pattern[0][0], pattern[0][-1]
    first, last = entry[0], entry[-1]
    begins = _WILD.split(begin)[0] if isinstance(begin, str) else ""
    ends = _WILD.split(end)[-1] if isinstance(end, str) else ""
    fits_begin = not isinstance(first, str) or first.startswith(begins) or begins.startswith(first)
    fits_end = not isinstance(last, str) or last.endswith(ends) or ends.endswith(last)
    return fits_begin and fits_end


def asked_for(path: Mapping[Symbol, bool]) -> dict[Path, Symbol]:
    """What unknown things were asked whether they exist, on the way somewhere, and the question."""
    asked = (what for what in path if isinstance(what, terms.Method) and what.name in TESTS)
    return {tuple(_names(_atoms(what.receiver, 0))): what for what in asked}
