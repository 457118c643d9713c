"""What else in the project has to do with a file: who reads a variable, which launch file starts a program."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path

from ddplint.project.discovery import SUFFIXES, walked_files
from ddplint.project.index.reading.file import read
from ddplint.project.kinds import kind_of
from ddplint.project.starts import Start, starts_of
from ddplint.source.file import SourceFile
from ddplint.util.paths import top_folder
from ddplint.util.regular import read_regular

_MOST_FILES = 4000


def is_read(name: str, file: SourceFile) -> bool:
    """Whether a file of the project around ``file`` asks for the variable, or may.

    True also where the project is too large to look through.
    """
    if _reads(name, file.data, file.path.endswith(SUFFIXES)):
        return True
    top = _project(file.real_path)
    return top is not None and _read_below(name, top)


def reads(name: str, file: SourceFile) -> bool:
    """Whether a file asks for the variable itself, or may: what is only set there, or said of it, does not count."""
    return _reads(name, file.data, file.path.endswith(SUFFIXES))


def beside(file: SourceFile) -> Iterator[SourceFile]:
    """The files of the project that a Python file imports from, as far as they lie below it or its project."""
    tops = dict.fromkeys((file.real_path.parent, _project(file.real_path) or file.real_path.parent))
    seen: set[Path] = set()
    for origin in sorted({one.origin for one in read(file).imports}):
        parts = origin.lstrip(".").split(".")
        ends = (Path(*parts[:length]).with_suffix(".py") for length in range(len(parts), 0, -1))
        path = next((top / end for end in ends for top in tops if os.path.isfile(top / end)), None)
        if path is not None and path not in seen and path != file.real_path:
            seen.add(path)
            yield SourceFile(str(path), _bytes(path))


def is_started(file: SourceFile, module: str, unless: tuple[str, ...] = ()) -> bool:
    """Whether a launch file of the project around ``file`` starts it with ``python -m module``, or so named a command.

    Commands with one of the options ``unless`` do not count. False where the project is too large to look through.
    """
    top = _project(file.real_path)
    name = re.compile(rb"(?<![\w.-])%s(?![\w.-])" % re.escape(file.real_path.name.encode()))
    return top is not None and any(
        name.search(command) is not None and not any(option.encode() in command for option in unless)
        for command in _commands(module, top)
    )


def passing_starts(file: SourceFile, launcher: str, unless: frozenset[str]) -> tuple[Start, ...]:
    """The command lines of the project, its documentation too, that start a file with a launcher.

    Those with one of the options ``unless`` do not count, nor does prose that names both: between them stand options
    alone. None where several files of the project have this name.
    """
    top, name = _project(file.real_path), file.real_path.name
    if top is None or sum(path.name == name for path in _files(top) or ()) != 1:
        return ()
    found = (one for one in starts_of(file.real_path, top) if one.launcher == launcher)
    return tuple(
        one for one in found if _are_options(words := one.options.split()) and unless.isdisjoint(_flags(words))
    )


def _flags(words: Iterable[str]) -> Iterator[str]:
    return (word.partition("=")[0] for word in words)


def _are_options(words: Sequence[str]) -> bool:
    """Whether each word is an option, or may be the value of one."""
    return all(word.startswith("-") or before.startswith("-") for before, word in pairwise(["", *words]))


@lru_cache(maxsize=64)
def _commands(module: str, top: Path) -> tuple[bytes, ...]:
    """The command lines of the project's launch files with a module in them, each up to where it ends."""
    found: list[bytes] = []
    for file in _files(top) or ():
        data = _bytes(file) if kind_of(file.name) else b""
        if module.encode() in data:
            lines = re.sub(rb"^\s*#[^\n]*", b"", data, flags=re.MULTILINE).replace(b"\\\n", b" ").splitlines()
            found += [line for line in lines if module.encode() in line]
    return tuple(found)


def _project(file: Path) -> Path | None:
    top = top_folder(file.parent)
    if os.path.exists(top / ".git"):
        return top
    here = Path.cwd()
    return here if here in file.parents else file.parent


@lru_cache(maxsize=256)
def _read_below(name: str, top: Path) -> bool:
    files = _files(top)
    return files is None or any(_reads(name, _bytes(file), file.suffix in SUFFIXES) for file in files)


def _files(top: Path) -> tuple[Path, ...] | None:
    """The files of a project; None where there are too many to look through."""
    files = tuple(islice(map(Path, walked_files(top)), _MOST_FILES + 1))
    return files if len(files) <= _MOST_FILES else None


@lru_cache(maxsize=64)
def _pattern(name: str, python: bool) -> re.Pattern[bytes]:
    """In Python a string that is the name, where nothing is assigned to it; else ``$NAME``, but for its own default."""
    written = re.escape(name.encode())
    if python:
        return re.compile(
            rb"(?<!setdefault\()(?<!putenv\()(?<!setenv\()[\"']%s[\"'](?!\s*:)(?!\s*\]\s*=(?!=))" % written
        )
    return re.compile(rb"(?<!%s=)(?<!%s=\")\$\{?%s\b" % (written, written, written))


def _reads(name: str, data: bytes, python: bool) -> bool:
    if name.encode() not in data:
        return False
    code = re.sub(rb"^\s*#[^\n]*", b"", data, flags=re.MULTILINE)
    return _pattern(name, python).search(code) is not None


def _bytes(file: Path) -> bytes:
    try:
        return read_regular(file)
    except OSError:
        return b""
