"""The files of a project with their records, and what their imports lead to."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from ddplint.project import configured, limits
from ddplint.project.index.places import Finder, Place
from ddplint.project.index.reading.file import read
from ddplint.project.index.records import FileRecord, FunctionRecord
from ddplint.project.index.units import Function, Unit

if TYPE_CHECKING:
    from pathlib import Path

    from ddplint.project.index.kept import Kept
    from ddplint.source.file import SourceFile


class _Latest:
    """The record of each path as it was last, as far as they fit: the next state of a program begins with them."""

    def __init__(self) -> None:
        self._records: dict[Path, tuple[bytes, FileRecord]] = {}
        self._bytes = 0
        self._lock = Lock()

    def take(self, file: SourceFile) -> FileRecord | None:
        """The record of just this content; it is to be put back."""
        with self._lock:
            return self._take(file)

    def _take(self, file: SourceFile) -> FileRecord | None:
        data, record = self._records.pop(file.real_path, (b"", None))
        self._bytes -= len(data)
        return record if data == file.data else None

    def put(self, file: SourceFile, record: FileRecord) -> None:
        """Keep a record; those that nobody asked for longest go."""
        with self._lock:
            self._take(file)
            self._records[file.real_path] = file.data, record
            self._bytes += len(file.data)
            while self._bytes > limits.RECORDS_BYTES and len(self._records) > 1:
                data, _ = self._records.pop(next(iter(self._records)))
                self._bytes -= len(data)

    def clear(self) -> None:
        with self._lock:
            self._records.clear()
            self._bytes = 0


_latest = _Latest()


def forget() -> None:
    """Forget the records of this process."""
    _latest.clear()


class Files:
    """Units by file, made when they are asked for. ``made`` counts the records that were not found in the cache."""

    def __init__(self, project: Finder, kept: Kept | None = None) -> None:
        self._project = project
        self._kept = kept
        self._units: dict[Place, Unit] = {}
        self._targets: dict[tuple[Place, str], tuple[str, Unit | None]] = {}
        self._all: list[Unit] | None = None
        self.made = 0

    def unit(self, module: Place) -> Unit:
        """The unit of a module."""
        found = self._units.get(module)
        if found is None:
            found = self._units[module] = Unit(module, self._record(module.file))
        return found

    def _record(self, file: SourceFile) -> FileRecord:
        """The record of a file: as another state of the program made it, as an earlier run kept it, or a new one."""
        record = _latest.take(file)
        if record is None and self._kept is not None:
            record = self._kept.get(file)
        if record is None:
            self.made += 1
            decoded = "_decoded" in file.__dict__
            with without_collector():
                record = read(file)
            if not decoded:
                file.__dict__.pop("_decoded", None)  # texts of a whole project would fill the memory
            if self._kept is not None:
                self._kept.put(file, record)
        _latest.put(file, record)
        return record

    def of(self, file: SourceFile) -> Unit:
        """The unit of a file."""
        return self.unit(self._project.module_of(file))

    def every(self) -> list[Unit]:
        """The units of all files of the project, in the order of their paths; tests are left out."""
        if self._all is None:
            with without_collector():
                self._all = [self.of(file) for file in self._project.every()]
        return self._all

    def imported(self, unit: Unit, name: str) -> tuple[str, Unit | None]:
        """The full name of a module as it is imported (dots first), and its unit where it is of the project."""
        key = unit.module, name
        if key not in self._targets:
            path = name.lstrip(".")
            level = len(name) - len(path)
            full = self._project.absolute(path, level, unit.module) if level else path
            found = self._project.where(full, unit.module)
            self._targets[key] = full, None if found is None else self.unit(found)
        return self._targets[key]

    def named_under(self, unit: Unit, key: str) -> Iterable[str]:
        """The definitions that configuration files of the project name under a key."""
        return self._project.named_under(key, unit.module)

    def below(self, unit: Unit, name: str) -> Unit | None:
        """The module of a package."""
        if not unit.module.is_package:
            return None
        found = self._project.where(f"{unit.module.name}.{name}" if unit.module.name else name, unit.module)
        return None if found is None or found is unit.module else self.unit(found)

    def importing(self, unit: Unit, at_once: bool = False) -> Iterator[Unit]:
        """The modules that a file imports, or has names of. ``at_once``: when it is imported itself."""
        for one in (one for one in unit.record.imports if not (at_once and one.inner)):
            _, found = self.imported(unit, one.module)
            if found is not None:
                yield found
                inner = self.below(found, one.member) if one.member and one.member != "*" else None
                if inner is not None:
                    yield inner
        if not at_once and configured.makes(unit.record.imports):
            named = (
                self.imported(unit, name.rpartition(".")[0])[1] for name in self._project.named_under("", unit.module)
            )
            yield from (found for found in named if found is not None)


@contextmanager
def without_collector() -> Iterator[None]:
    """Records are many and hold no circles: looking through them again and again takes longer than making them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Naming:
    """Functions by the attributes that stand in them, also as a short text (``getattr(model, "cache")``)."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def functions(self, attribute: str) -> Set[Function]:
        """All functions, and bodies of files, in which an attribute stands: who reads it and who sets it."""
        return self._by_attribute.get(attribute, frozenset())

    @cached_property
    def _by_attribute(self) -> Mapping[str, Set[Function]]:
        found: dict[str, set[Function]] = defaultdict(set)
        for unit in self._files.every():
            for one in (one for many in unit.functions.values() for one in many):
                for attribute in _attributes(one.record):
                    found[attribute].add(one)
        return found


def _attributes(record: FunctionRecord) -> Iterator[str]:
    texts = [*record.reads, *record.decorators, *record.returned, *record.summed, *record.divided]
    texts += [text for pair in (*record.assigned, *record.compared) for text in pair]
    for call in record.calls:
        texts += [call.callee, *call.given, *(text for pair in call.named for text in pair)]
    for text in texts:
        yield from (word[1:] for word in text.split(" ") if word[:1] in (".", "'", "["))
