"""What the configuration files of a project name under which key: ``trainer: {_target_: runs.trainer.Trainer}``.

They are read as text, line by line: a mapping with such a name stands below its key, or is a whole file, which is of
the group that its folder is called after. Frameworks make objects of them (``hydra.utils.instantiate(cfg.trainer)``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from ddplint.knowledge import tables
from ddplint.project import limits
from ddplint.project.discovery import walked_files
from ddplint.project.index.records import Import
from ddplint.project.kinds import kind_of
from ddplint.util.regular import text_of

_LINE = re.compile(r"(?P<indent> *)(?P<item>(?:- +)*)(?P<key>[\w.-]+) *:(?: +(?P<value>[^#]*?))?\s*(?:#.*)?$")
_TARGET = "_target_"
_PARTIAL = "_partial_"
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Target:
    """A definition that a configuration names, the ``keys`` beside the name, and whether it is called only later."""

    name: str
    keys: frozenset[str]
    partial: bool = False


def targets(top: Path, key: str) -> tuple[Target, ...]:
    """What the configuration files of the project at ``top`` name under a key."""
    return _all(top).get(key, ())


def names(top: Path, key: str) -> Sequence[str]:
    """The names alone; without a key, those under any."""
    found = targets(top, key) if key else (one for every in _all(top).values() for one in every)
    return sorted({one.name for one in found})


ASKED = "\0?"
"""Stands before a key in a question of what configuration files below a folder name under it."""


def question(top: Path, key: str) -> str:
    """A question that may be asked again."""
    return f"{top}{ASKED}{key}"


def answer(asked: str) -> str:
    """What a question has for an answer now, as a text that differs where the answers do."""
    top, _, key = asked.partition(ASKED)
    return repr([(one.name, sorted(one.keys), one.partial) for one in targets(Path(top), key)])


def makes(imports: Iterable[Import]) -> bool:
    """Whether a file imports what makes objects as a configuration says, or the package that has it."""
    origins = [f"{one.origin}." for one in imports]
    return any(f"{name}.".startswith(origin) for name in tables.names("instantiates") for origin in origins)


def look_again() -> None:
    """Forget what was read of projects."""
    _all.cache_clear()


@lru_cache(maxsize=8)
def _all(top: Path) -> Mapping[str, tuple[Target, ...]]:
    files = (Path(name) for name in walked_files(top) if kind_of(name) == "yaml")
    found: dict[str, dict[Target, None]] = {}
    for path in islice(files, limits.START_FILES):
        for key, target in _in_text(text_of(path, limits.START_BYTES)):
            found.setdefault(key or path.parent.name, {})[target] = None
    return {key: tuple(every) for key, every in found.items()}


def _in_text(text: str) -> Iterator[tuple[str, Target]]:
    """The named definitions of a file, each with the key that it stands below; empty where that is the file itself."""
    if _TARGET not in text:
        return
    mappings: list[tuple[str, dict[str, str]]] = [("", {})]
    around: list[tuple[int, dict[str, str]]] = [(-1, mappings[0][1])]
    last: dict[int, str] = {}
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        indent = len(found["indent"]) + len(found["item"])
        while len(around) > 1 and (around[-1][0] > indent or (around[-1][0] == indent and found["item"])):
            around.pop()
        if around[-1][0] < indent:
            above = last.get(around[-1][0], "")
            mapping: dict[str, str] = around[0][1] if around[-1][0] < 0 and not above else {}
            if mapping is not around[0][1]:
                mappings.append((above, mapping))
            around.append((indent, mapping))
        around[-1][1].setdefault(found["key"], (found["value"] or "").strip("\"'"))
        last[indent] = found["key"]
    for key, mapping in mappings:
        name = mapping.get(_TARGET, "")
        if _DOTTED.fullmatch(name):
            own = frozenset(one for one in mapping if not one.startswith("_"))
            yield key, Target(name, own, mapping.get(_PARTIAL, "").lower() == "true")
