"""Which files of the project call into a file: what a function gets, and who calls it, is known from there."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.project import limits
from ddplint.project.index.records import MODULE, Import
from ddplint.project.pool import files_below, is_test
from ddplint.project.roots import installs
from ddplint.source.file import SourceFile
from ddplint.util.paths import below, identity
from ddplint.util.regular import read_regular

if TYPE_CHECKING:
    from ddplint.project.index.units import Unit
    from ddplint.project.modules import Project


@dataclass(eq=False)
class _Entry:
    """A file of the project with its record."""

    unit: Unit

    @property
    def file(self) -> SourceFile:
        return self.unit.file

    @property
    def imports(self) -> Sequence[Import]:
        return self.unit.record.imports

    @cached_property
    def words(self) -> frozenset[str]:
        """The names that occur in import statements."""
        return frozenset(
            word
            for one in self.imports
            for word in (*one.module.split("."), one.member, one.name)
            if word not in ("", "*")
        )

    def mentions(self, names: frozenset[str]) -> bool:
        """Whether one of ``names`` stands in the file."""
        return not names.isdisjoint(self.unit.words)


@dataclass(frozen=True, eq=False)
class Outside:
    """A file that nobody asked about, and the names it uses of the file it calls into."""

    file: SourceFile
    uses: frozenset[str]


@dataclass(eq=False)
class Callers:
    """Finds callers among the ``asked`` files and, for what they do not show, the project's other files.

    Tests are left out: they call with stand-ins, on processes of their own making. A file that does not speak of other
    ranks is not walked for its own sake, but its callers may be.
    """

    project: Project
    asked: Sequence[SourceFile]
    _pools: dict[Path, list[_Entry]] = field(default_factory=dict)
    _direct: dict[Path, list[SourceFile]] = field(default_factory=dict)
    _unread: dict[Path, str] = field(default_factory=dict)

    def take_over(self, before: Callers) -> None:
        """Take over what was read of files that are the same now."""
        asked = {file.real_path for file in self.asked}
        for top, pool in before._pools.items():
            others = [self._now(one) for one in pool if one.file.real_path not in asked]
            known = {one.file.real_path: one for one in pool}
            own = [self._same(known.get(path), entry) for path, entry in self._own.items()]
            self._pools[top] = [one for one in (*own, *others) if not is_test(one.file)]
        self._unread = before._unread

    def _now(self, entry: _Entry) -> _Entry:
        held = self.project.held(entry.file.real_path)
        return entry if held is None or held is entry.file else _Entry(self._unit(held))

    @staticmethod
    def _same(known: _Entry | None, entry: _Entry) -> _Entry:
        return known if known is not None and known.file is entry.file else entry

    @cached_property
    def _own(self) -> dict[Path, _Entry]:
        return {file.real_path: _Entry(self._unit(file)) for file in self.asked}

    def _unit(self, file: SourceFile) -> Unit:
        return self.project.index.unit(file)

    def defined(self, file: SourceFile) -> frozenset[str]:
        """The functions and classes at the top of a file."""
        unit = self._unit(file)
        names = (*unit.functions, *unit.classes)
        return frozenset(name for name in names if name[0].isalpha() and "." not in name) - {"main"}

    def direct(self, file: SourceFile) -> list[SourceFile]:
        """The files that import ``file``, itself or through a package's ``__init__``, and name what it defines."""
        path = file.real_path
        if path not in self._direct:
            names = self.defined(file)
            found = list(self._importers(file, names)) if names or "main" in self._unit(file).functions else []
            self._direct[path] = sorted(found, key=self._order(file))
        return self._direct[path]

    def _order(self, called: SourceFile) -> Callable[[SourceFile], tuple[bool, bool, bool, str]]:
        """What begins a run of several processes comes first, then other scripts.

        Of the callers of a helper without a word of other ranks, those come first that communicate.
        """
        plain = not self._speaks(called)

        def key(file: SourceFile) -> tuple[bool, bool, bool, str]:
            silent = plain and not self.project.index.communicates(file)
            script = self.is_script(file)
            return not (script and self.project.index.begins(file)), not script, silent, file.path

        return key

    def _speaks(self, file: SourceFile) -> bool:
        """Whether a file speaks of other ranks, or is a program that does over what it imports."""
        return self.project.index.speaks(file) or self.project.is_program(file)

    def is_script(self, file: SourceFile) -> bool:
        """Whether a file has a part that runs where it is started."""
        return self._unit(file).record.script

    def outside(self, file: SourceFile) -> tuple[list[Outside], int]:
        """Callers of ``file`` that nobody asked about, outermost first, and how many more there are.

        Where neither a file nor its caller has a word of other ranks, the caller is not walked, but its callers are.
        """
        found: dict[Path, Outside] = {}
        left_out: set[Path] = set()
        cost = 0
        ring = [file]
        for _ in range(limits.CALLERS_DEPTH):
            following: list[SourceFile] = []
            for called in ring:
                for caller, is_new in self._by_reach(called):
                    path = caller.real_path
                    if path in found or path in self._own:
                        continue
                    if not self._speaks(caller) and not self._speaks(called):
                        following += [] if caller in ring else [caller]
                        continue
                    affordable = is_new and cost + len(caller.data) <= limits.CALLERS_BYTES
                    if len(found) >= limits.CALLERS_OUTSIDE and not affordable:
                        left_out.add(path)
                        continue
                    cost += len(caller.data)
                    found[path] = Outside(caller, self._called_as(_Entry(self._unit(caller)), called))
                    following.append(caller)
            ring = following
        for called in ring:
            left_out |= {caller.real_path for caller in self.direct(called)} - found.keys() - self._own.keys()
        return list(reversed(found.values())), len(left_out)

    def _by_reach(self, called: SourceFile) -> list[tuple[SourceFile, bool]]:
        """The callers of a file, and whether they call what none before does: where there are many, those come first.

        What matters of the file counts first, and of several callers that reach as much the first in their order.
        """
        waiting = self.direct(called)
        if len(waiting) <= limits.CALLERS_OUTSIDE:
            return [(one, True) for one in waiting]
        reached = self.project.index.reached_by(called)
        chosen: list[SourceFile] = []
        left = {one for functions in reached.values() for one in functions}
        while left:
            best = max(waiting, key=lambda one: len(reached.get(one, frozenset()) & left))
            if not reached.get(best, frozenset()) & left:
                break
            chosen.append(best)
            waiting = [one for one in waiting if one is not best]
            left -= reached[best]
        return [(one, True) for one in chosen] + [(one, False) for one in waiting]

    def _called_as(self, entry: _Entry, called: SourceFile) -> frozenset[str]:
        """The names under which a caller may call what a file defines: also those that it gives them itself."""
        names = self.defined(called) | self._main_of(entry, called.real_path)
        names |= self._made_from(self._package_of(called), names)
        return names | {one.name for one in entry.imports if one.member in names}

    def _package_of(self, file: SourceFile) -> _Entry | None:
        """The ``__init__`` beside a file."""
        path = file.real_path.parent / "__init__.py"
        found = self.project.source(path) if path != file.real_path and os.path.isfile(path) else None
        return None if found is None else _Entry(self._unit(found))

    def _made_from(self, entry: _Entry | None, names: frozenset[str]) -> frozenset[str]:
        """What a package's ``__init__`` defines, and may make of what one of its files has."""
        if entry is None or not entry.words & names:
            return frozenset()
        return self.defined(entry.file)

    def _main_of(self, entry: _Entry, path: Path) -> frozenset[str]:
        """``main``, where it is imported from this file: else it is the caller's own."""
        asked = [one for one in entry.imports if one.member == "main"]
        return frozenset({"main"}) if asked and self._imports(entry, path, asked) else frozenset()

    def _picks_from(self, entry: _Entry, path: Path) -> bool:
        """Whether something is taken from this file by a name that is not written there: ``getattr(module, name)``."""
        asked = [one for one in entry.imports if one.name in entry.unit.picked_from]
        return bool(asked) and self._imports(entry, path, asked)

    def lead_from_ranks(self, file: SourceFile) -> bool:
        """Whether calls lead to a file from one that speaks of other ranks."""
        return any(self._up(file, self._speaks))

    def _up(self, file: SourceFile, test: Callable[[SourceFile], bool]) -> Iterator[bool]:
        """Whether each of the files that call into a file, itself or over others, stands a test; the nearest first."""
        seen, ring = {file.real_path}, [file]
        for _ in range(limits.CALLERS_DEPTH):
            callers = [caller for called in ring for caller in self.direct(called) if caller.real_path not in seen]
            yield from map(test, callers)
            seen.update(caller.real_path for caller in callers)
            ring = callers

    def functions(self, file: SourceFile) -> frozenset[str]:
        """The names of the functions and methods of a file."""
        return frozenset(name.rpartition(".")[2] for name in self._unit(file).functions) - {MODULE}

    def unmentioned(self, file: SourceFile) -> frozenset[str]:
        """The functions of a file that nothing in the project names, where the file is part of a program.

        A library's public functions are there for programs elsewhere; those of a program are dead, or for a person.
        """
        unit = self._unit(file)
        names = Counter(one.name.rpartition(".")[2] for many in unit.functions.values() for one in many)
        idle = {
            name
            for name, times in names.items()
            if name not in (MODULE, "main") and not name.startswith("__") and _times(file.data, name) == times
        }
        if not idle or not (self.lead_from_a_script(file) or self._lies_beside_a_script(file)):
            return frozenset()
        others = [entry.file.data for entry in self._pool(file) if entry.file.real_path != file.real_path]
        others += self._manifests(file)
        return frozenset(name for name in idle if not any(name.encode() in data for data in others))

    def lead_from_a_script(self, file: SourceFile) -> bool:
        """Whether a file is a script, or imports lead to it from one."""
        return self.is_script(file) or any(self._up(file, self.is_script))

    def _lies_beside_a_script(self, file: SourceFile) -> bool:
        """Whether a script lies in the same folder of the project, or uses it, and nobody can install that folder.

        Then a module that nothing imports is a program's, and left over.
        """
        top = self.project.top(self.project.module_of(file))
        folder, *inner = below(file.real_path, top).split("/")
        if not inner or folder in ("..", "src") or installs(top, folder):
            return False
        scripts = (entry for entry in self._pool(file) if entry.unit.record.script)
        return any(folder in one.words or below(one.file.real_path, top).startswith(f"{folder}/") for one in scripts)

    def _manifests(self, file: SourceFile) -> list[bytes]:
        """The texts that name what is installed as a command."""
        top = self.project.top(self.project.module_of(file))
        found = []
        for name in ("pyproject.toml", "setup.cfg"):
            with suppress(OSError):
                found.append(read_regular(top / name))
        return found

    def unread(self, file: SourceFile) -> str:
        """Which files of the project were not looked at for callers of ``file``; empty where all were."""
        return self._unread.get(self.project.top(self.project.module_of(file)), "")

    def _importers(self, file: SourceFile, names: frozenset[str], depth: int = 0) -> Iterator[SourceFile]:
        path = file.real_path
        word = path.parent.name if path.stem == "__init__" else path.stem
        package = path.parent.name
        few = len(self._direct) < limits.FEW_QUESTIONS
        for entry in self._pool(file):
            other = entry.file
            if few and word.encode() not in other.data and package.encode() not in other.data:
                continue
            if entry.unit.record.problem and _times(other.data, word) and other.real_path != path:
                yield other  # whose walk says that it could not be followed
                continue
            if other.real_path == path or not {word, package} & entry.words or not self._imports(entry, path):
                continue
            if other.real_path.stem == "__init__" and depth < 2:
                yield from self._importers(other, names | self._made_from(entry, names), depth + 1)
            elif entry.mentions(names) or self._main_of(entry, path) or self._picks_from(entry, path):
                yield other

    def _imports(self, entry: _Entry, path: Path, asked: Sequence[Import] | None = None) -> bool:
        """Whether one of the import statements, or of those ``asked`` about, leads to ``path``."""
        last = path.parent.name if path.stem == "__init__" else path.stem
        for one in entry.imports if asked is None else asked:
            if last not in one.module and one.module.strip(".") and last != one.member:
                continue
            dot = "" if one.module.endswith(".") else "."
            for name in (one.module, *([f"{one.module}{dot}{last}"] if one.member == last else [])):
                full, found = self.project.index.files.imported(entry.unit, name)
                if full.rpartition(".")[2] == last and found is not None and found.file.real_path == path:
                    return True
        return False

    def _pool(self, file: SourceFile) -> list[_Entry]:
        """Where callers may be: the files that are checked, then the others of the project."""
        top = self.project.top(self.project.module_of(file))
        if top not in self._pools:
            known = dict(self._own)
            below = files_below(top)
            if below.unread:
                self._unread[top] = below.unread
            for path in below.paths:
                real = Path(identity(str(path)))
                if real not in known:
                    read = self.project.source(path)
                    if read is not None:
                        known[real] = _Entry(self._unit(read))
            self._pools[top] = [entry for entry in known.values() if not is_test(entry.file)]
        return self._pools[top]


def _times(data: bytes, name: str) -> int:
    """How often a name stands in a file, as a word of its own."""
    word, found, at = name.encode(), 0, data.find(name.encode())
    while at >= 0:
        around = data[at - 1 : at] + data[at + len(word) : at + len(word) + 1]
        found += not any(bytes((one,)).isalnum() or one == ord("_") for one in around)
        at = data.find(word, at + 1)
    return found
