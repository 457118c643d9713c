"""Paths as the walk knows them: sequences of names, some of them unknown but the same wherever they come from."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from ddplint.rule import Const, Effect, Either, Event, Instance, Object, PerRank, Symbol, Unknown, Value, Varying

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
_SETTINGS = re.compile(
    r"_*(args?|cfg|conf|config|configs|opts?|options?|hparams|params|flags|settings|hps?)_*", re.IGNORECASE
)
_COUNTS = re.compile(r"(cur(rent)?_?|global_?|num_?|total_?)?(epochs?|steps?|iter(ation)?s?|it|ep)", re.IGNORECASE)
TESTS = frozenset({"exists", "is_file", "is_dir"})
"""Methods of paths that ask for them."""

_FOLDER, _LAST = "os.path.dirname", "os.path.basename"


def path_of(value: Value | None, rank: int = 0) -> Path:
    """The names a path is made of as a rank sees it, outermost first; empty where nothing is known about it."""
    return tuple(_names(_atoms(value, rank))) if value is not None else ()


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
    return any(not path or any(_is_given(part) for part in path[-1]) for path in map(path_of, _ways(value)))


def is_named_by_caller(value: Value | None) -> bool:
    """The same of any part of a path, its folders too."""
    return any(_is_given(part) for path in map(path_of, _ways(value)) for name in path for part in name)


def _ways(value: object, depth: int = 4) -> Iterator[Value | None]:
    """A path, or each of those that were joined where the ways through the program meet."""
    if isinstance(value, Either) and depth:
        yield from _ways(value.yes, depth - 1)
        yield from _ways(value.no, depth - 1)
        return
    joined = _key(value)[2:] if _key(value)[:1] == ("joined",) else ()
    parts = [part for part in joined if isinstance(part, Symbol)]
    if len(parts) < 2 or not depth:
        yield value  # type: ignore[misc]
        return
    for part in parts:
        yield from _ways(Unknown(part), depth - 1)


def _is_given(part: object, depth: int = 8, inside: bool = False) -> bool:
    key = _key(part)
    if key[:1] == ("parameter",):
        known = _SETTINGS if inside else _COUNTS
        return known.fullmatch(str(key[1])) is None
    inside = key[:1] in (("attr",), ("item",))
    return depth > 0 and any(_is_given(inner, depth - 1, inside) for inner in key)


def given_names(value: Value | None) -> frozenset[str]:
    """The names of the parameters that the name of a file is made from."""
    return _given_names(path_of(value)[-1:])


def all_given_names(value: Value | None) -> frozenset[str]:
    """The names of the parameters that a path is made from, its folders too."""
    return _given_names(path_of(value))


def _given_names(path: Path) -> frozenset[str]:
    return frozenset(name for part in path for piece in part for name in _parameters(piece))


def _parameters(part: object, depth: int = 8) -> Iterator[str]:
    key = _key(part)
    if key[:1] == ("parameter",):
        yield str(key[1])
    elif depth:
        for inner in key:
            yield from _parameters(inner, depth - 1)


def is_an_element(value: Value | None) -> bool:
    """Whether the name of a file comes out of a collection that is not known, and may be the rank's own."""
    path = path_of(value)
    return bool(path) and any(holds(part, ("fresh", "element")) for part in path[-1])


def set_later_in(value: Value | None) -> Iterator[str]:
    """The variables in the name of a file that code sets which was not walked, perhaps on one rank alone.

    An attribute of an object is meant by its name, another variable by nothing.
    """
    for name in path_of(value)[-1:]:
        for part in name:
            yield from _set_later(part)


def _set_later(part: object, depth: int = 16) -> Iterator[str]:
    key = _made_of(part)
    if key[:1] == ("set later",):
        yield str(key[-1]) if isinstance(key[1], Instance) else ""
    elif depth:
        for inner in key:
            yield from _set_later(inner, depth - 1)


def holds(part: object, head: tuple[str, ...], depth: int = 16) -> bool:
    """Whether something of this kind is in a name, also in one that was too large to be kept as an expression."""
    key = _made_of(part)
    return key[: len(head)] == head or (depth > 0 and any(holds(inner, head, depth - 1) for inner in key))


def _made_of(part: object) -> tuple[object, ...]:
    if isinstance(part, PerRank):
        return part.values
    key = _key(part)
    return getattr(getattr(part, "symbol", part), "made_of", key) if key[:1] == ("big",) else key


def within(inner: Path, outer: Path) -> bool:
    """Whether ``inner`` is ``outer`` or something in that folder."""
    return bool(outer) and inner[: len(outer)] == outer


def touch(first: Path, second: Path) -> bool:
    """Whether one of two paths is the other or holds it."""
    return within(first, second) or within(second, first)


def pieces(value: Value, rank: int = 0) -> tuple[object, ...]:
    """Known pieces of a text as a rank sees it, and what stands between them."""
    return tuple(_atoms(value, rank))


def _key(value: object) -> tuple[object, ...]:
    found = getattr(getattr(value, "symbol", value), "key", ())
    return found if isinstance(found, tuple) else ()


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
    key = _key(value)
    joined = key[1:] if key[:1] == ("text",) else key[2:] if key[:2] == ("op", "+") else ()
    if joined:
        for part in joined:
            yield from _atoms(part, rank)
        return
    called = key[1] if key[:1] == ("call",) and len(key) == 3 else None
    if called in _SAME_PLACE:
        yield from _atoms(key[2], rank)
        return
    if key[:1] == ("method",) and len(key) > 2 and key[1] in _SAME_BY_METHOD:
        yield from _atoms(key[2], rank)
        return
    names = tuple(_names(_atoms(key[2], rank))) if called in (_FOLDER, _LAST) else ()
    if len(names) > 1:
        yield from _text(names[:-1] if called == _FOLDER else names[-1:])
    else:
        yield value.symbol if isinstance(value, (Unknown, Varying)) else value


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


def written(event: Event, rank: int) -> Path:
    """What an event writes, creates, moves something to, or removes."""
    return path_of(event.details.get("target") or event.details.get("path"), rank)


def looked_at(event: Event, rank: int) -> Path:
    """What an event reads, lists, removes or moves away; of a pattern, the folder that is searched."""
    path = path_of(event.details.get("path"), rank)
    return path[:-1] if event.effect == Effect.LIST and path and _is_pattern(path[-1]) else path


def _is_pattern(name: Name) -> bool:
    return any(isinstance(piece, str) and _WILD.search(piece) for piece in name)


def _listed(event: Event, rank: int) -> Path:
    """What a listing asks for: a folder, or a pattern in it (``folder.glob("*.pt")``)."""
    folder = path_of(event.details.get("path"), rank)
    row = event.api
    given = event.kwargs.get(row.pattern_arg) if row is not None and row.pattern_arg else None
    if given is None and row is not None and row.pattern_pos is not None and row.pattern_pos < len(event.args):
        given = event.args[row.pattern_pos]
    return (*folder, *path_of(given, rank)) if folder and given is not None else folder


def finds(event: Event, path: Path, rank: int) -> bool:
    """Whether a listing by a pattern may give a path.

    Where parts of either are not known: what the pattern begins and ends with is what the name has.
    """
    listed = _listed(event, rank)
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


def asked_for(event: Event) -> dict[Path, Symbol]:
    """What unknown things were asked whether they exist, on the way to an event, and the question."""
    keys = ((what, what.key) for what in event.path)
    asked = ((what, key[2]) for what, key in keys if key[:1] == ("method",) and len(key) > 2 and key[1] in TESTS)
    return {tuple(_names(_atoms(value, 0))): what for what, value in asked}


def changed(event: Event, rank: int) -> frozenset[Path]:
    """Every path whose state an event may change."""
    return all_paths(event.details.get("target"), rank) | all_paths(event.details.get("path"), rank)
