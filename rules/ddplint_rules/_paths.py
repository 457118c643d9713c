"""Paths as the walk knows them: sequences of names, some of them unknown but the same wherever they come from."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Either, Event, Object, PerRank, Unknown, Value, Varying

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
_SHORTENED = frozenset({"os.path.dirname"})


def path_of(value: Value | None, rank: int = 0) -> Path:
    """The names a path is made of as a rank sees it, outermost first; empty where nothing is known about it."""
    if value is None:
        return ()
    shortened = _shortened(value, rank)
    return shortened if shortened is not None else tuple(_names(_atoms(value, rank)))


def all_paths(value: Value | None, rank: int = 0) -> frozenset[Path]:
    """The path, or each of those it is on one way through the program or another."""
    if isinstance(value, PerRank):
        return all_paths(value.values[rank], rank)
    if isinstance(value, Either):
        return all_paths(value.yes, rank) | all_paths(value.no, rank)
    if isinstance(value, Object) and value.name.startswith("pathlib.") and value.args:
        return all_paths(value.args[0], rank)
    return frozenset({path_of(value, rank)} - {()})


def _shortened(value: Value, rank: int) -> Path | None:
    key = _key(value)
    if key[:1] == ("call",) and len(key) == 3 and key[1] in _SHORTENED:
        return tuple(_names(_atoms(key[2], rank)))[:-1]
    return None


def is_given_by_caller(value: Value | None) -> bool:
    """Whether the name of a file, or its whole path, is a parameter that somebody else chose."""
    path = path_of(value)
    return not path or any(_holds(part, ("parameter",)) for part in path[-1])


def is_an_element(value: Value | None) -> bool:
    """Whether the name of a file comes out of a collection that is not known, and may be the rank's own."""
    path = path_of(value)
    return bool(path) and any(_holds(part, ("fresh", "element")) for part in path[-1])


def _holds(part: object, head: tuple[str, ...], depth: int = 8) -> bool:
    key = _key(part)
    return key[: len(head)] == head or (depth > 0 and any(_holds(inner, head, depth - 1) for inner in key))


def within(inner: Path, outer: Path) -> bool:
    """Whether ``inner`` is ``outer`` or something in that folder."""
    return bool(outer) and inner[: len(outer)] == outer


def touch(first: Path, second: Path) -> bool:
    """Whether one of two paths is the other or holds it."""
    return within(first, second) or within(second, first)


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
    elif key[:1] == ("call",) and len(key) == 3 and key[1] in _SAME_PLACE:
        yield from _atoms(key[2], rank)
    else:
        yield value.symbol if isinstance(value, (Unknown, Varying)) else value


def _names(atoms: Iterator[object]) -> Iterator[Name]:
    """The pieces, cut at the slashes."""
    name: list[object] = []
    for atom in atoms:
        if not isinstance(atom, str):
            name.append(atom)
            continue
        first, *others = atom.replace("\\", "/").split("/")
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
    """What an event reads, lists, removes or moves away."""
    return path_of(event.details.get("path"), rank)


def changed(event: Event, rank: int) -> frozenset[Path]:
    """Every path whose state an event may change."""
    return all_paths(event.details.get("target"), rank) | all_paths(event.details.get("path"), rank)
