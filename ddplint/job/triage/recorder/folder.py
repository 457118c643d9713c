"""A folder of dumps → one dump for each rank."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ddplint.job.triage.recorder.load import DumpError, NoDumpError, load_dump, rank_of
from ddplint.job.triage.recorder.model import Dump, Groups
from ddplint.job.triage.recorder.reading import read_dump
from ddplint.report.summary import count

_KEPT, _LEAST = 400_000, 100
"""Completed operations that are kept of all dumps together, and at least of each."""
_FILES = 1 << 16


def dumps_of(folder: str, made: Groups) -> tuple[list[Dump], list[str]]:
    """The dumps of a folder and those below it (or one file), and what is wrong with files.

    Raises ``OSError`` where the folder cannot be read.
    """
    paths, problems, other = list(_paths(Path(folder))), list[str](), list[str]()
    most = max(_LEAST, _KEPT // max(len(paths), 1))
    found: dict[int, Dump] = {}
    for index, path in enumerate(paths):
        try:
            dump = _read(path, index, most, made)
        except NoDumpError as error:
            other.append(f"{path}: {error}")
        except (DumpError, OSError) as error:
            problems.append(f"{path}: {error}")
        else:
            found[dump.rank] = _newer(found.get(dump.rank), dump, problems)
    if found and other:
        other = [f"{folder}: {count(len(other), 'other file')} there, no dumps, set aside: {other[0]}"]
    return list(found.values()), [*problems, *other]


def _paths(top: Path) -> Iterator[Path]:
    if not os.path.isdir(top):
        yield top
        return
    os.listdir(top)  # raises what os.walk would pass over
    found = (Path(folder, name) for folder, _, names in sorted(os.walk(top)) for name in sorted(names))
    yield from islice((path for path in found if os.path.isfile(path)), _FILES)


def _read(path: Path, index: int, most: int, made: Groups) -> Dump:
    """The rank is that of the name, unless the groups that the dump lists say that it cannot be."""
    content, rank = load_dump(path), rank_of(path)
    dump = read_dump(index if rank is None else rank, content, str(path), most, made)
    members = [set(group.members) for group in dump.groups if group.known]
    possible = set.intersection(*members) if members else set()
    if len(possible) == 1 and dump.rank not in possible:
        return read_dump(possible.pop(), content, str(path), most, made)
    return dump


def _newer(known: Dump | None, dump: Dump, problems: list[str]) -> Dump:
    """Of two dumps of one rank the one that was written later; that there is another is said."""
    if known is None:
        return dump
    older, newer = sorted((known, dump), key=lambda one: (max((op.time for op in one.ops), default=0), len(one.ops)))
    problems.append(f"{older.where}: set aside: {newer.where} is of rank {dump.rank} as well")
    return newer
