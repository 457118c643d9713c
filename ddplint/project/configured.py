"""What the configuration files of a project name under which key: ``trainer: {_target_: runs.trainer.Trainer}``.

A mapping with such a name stands below its key, or is a whole file, which is of the group that its folder is called
after. Frameworks make objects of them (``hydra.utils.instantiate(cfg.trainer)``).
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
from ddplint.source.yaml_nodes import Node, UnreadableError, documents
from ddplint.util.regular import text_of

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
    """The named definitions of a file, each with the key that it stands below; empty where that is the file itself.

    A file that is no YAML by itself (a template) names nothing.
    """
    if _TARGET not in text:
        return
    try:
        nodes = documents(text, places=False)
    except UnreadableError:
        return
    left = [("", node) for node in reversed(nodes)]
    seen: set[int] = set()
    while left:
        above, node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "sequence":
            left += [(above, one) for one in reversed(node.value)]
        elif node.id == "mapping":
            keys = {key.value: value for key, value in node.value if key.id == "scalar"}
            if _DOTTED.fullmatch(_text(keys.get(_TARGET))):
                own = frozenset(key for key in keys if not key.startswith("_"))
                yield above, Target(_text(keys[_TARGET]), own, _text(keys.get(_PARTIAL)).lower() == "true")
            left += [(key, value) for key, value in reversed(keys.items())]


def _text(node: Node) -> str:
    return str(node.value) if node is not None and node.id == "scalar" else ""
