"""Modules of the checked project: found by import name, loaded when a walk reaches them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING

from ddplint.config import pins
from ddplint.project import configured, limits, roots
from ddplint.project.index.mattering import Worth, digest_of
from ddplint.project.records import Lookup
from ddplint.project.visits import ASKED, RAN, UNMENTIONED, Visited, Visits, merged, name_of
from ddplint.source.file import SourceError, SourceFile
from ddplint.util.paths import identity
from ddplint.util.regular import read_regular

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.config.settings import Settings
    from ddplint.project.index.queries import Index


@dataclass(eq=False)
class Module:
    """A module of the project. ``name`` is its import name, ``scope`` its namespace in the present walk."""

    file: SourceFile
    name: str
    root: Path
    is_package: bool = False
    scope: int = field(default=-1)
    set_later: frozenset[str] | None = field(default=None)
    """The names that functions of the module set by ``global``, once somebody has looked."""
    switches: frozenset[str] | None = field(default=None)
    """The settings that decide whether the script runs as several processes, once somebody has looked."""
    told: dict[str, str] | None = field(default=None)
    """The classes of names by what the module asks of them, once somebody has looked."""

    @property
    def key(self) -> int:
        return id(self)

    @cached_property
    def folder(self) -> Path:
        """The folder that holds the file."""
        return self.file.real_path.parent

    @property
    def is_large(self) -> bool:
        """Whether it is not parsed for what others import from it: no person wrote that much."""
        return len(self.file.data) > limits.MODULE_BYTES

    @property
    def unread(self) -> str:
        """Why there is no tree."""
        return f"larger than {limits.MODULE_BYTES} bytes" if self.is_large else "could not be parsed"

    def tree(self) -> cst.Module | None:
        """The parsed module, or None where it cannot be parsed."""
        if self.is_large:
            return None
        try:
            return self.file.module
        except SourceError:
            return None

    @property
    def text(self) -> str:
        """The source; empty where it cannot be read."""
        try:
            return self.file.text
        except SourceError:
            return ""


_LEADS_TO = "\0"
"""Stands between two paths in a question of where calls lead."""
_REGISTER = "\0*"
"""Stands behind a path in a question of what its imports register."""


class Project:
    """The modules around the checked files."""

    def __init__(self, files: Sequence[SourceFile], settings: Settings | None = None) -> None:
        roots.look_again()
        pins.look_again()
        configured.look_again()
        self.settings = settings
        self._known = {file.real_path: file for file in files}
        self._modules: dict[Path, Module] = {}
        self.visits = Visits()
        """What finished walks ran, named or made."""
        self._found: dict[tuple[str, Path, Path], Module | None] = {}
        self._where: dict[tuple[str, Path, Path], Path | None] = {}
        self.asked: set[tuple[str, Path, Path]] = set()
        self._begun: SourceFile | None = None
        self._seen: Mapping[str, int] = {}
        self._used: dict[Path, SourceFile] = {}
        self._given = list(files)
        self._programs: dict[SourceFile, bool] = {}
        self.answers: dict[str, str] = {}
        """What the index said of files since :meth:`begin`."""

    @cached_property
    def index(self) -> Index:
        """What the files of the project define and call, and what comes of it."""
        from ddplint.knowledge.own_rows import knowledge_with
        from ddplint.project.index.queries import Index

        return Index(self, knowledge_with(getattr(self.settings, "knowledge", None)))

    def worth(self, module: Module) -> Mapping[str, Worth]:
        """The functions and classes at the top of a module that are worth a walk, by name. It is noted who asked."""
        self._note(module.file)
        return self.index.worth(module.file)

    def speaks(self, file: SourceFile) -> bool:
        """Whether a file is about other ranks, or is run in several processes all the same. It is noted who asked."""
        self._note(file)
        return self.index.is_about_ranks(file) or self.is_program(file)

    def is_plain(self, module: Module) -> bool:
        """Whether a module is not about other ranks: of it only what matters is walked. It is noted who asked."""
        self._note(module.file)
        return not self.index.is_about_ranks(module.file)

    def _note(self, file: SourceFile) -> None:
        """Note what the index says of a file, where that hangs on other files."""
        path = str(file.real_path)
        alone = self.index.is_about_ranks(file) and self.index.says_itself(file)
        if path not in self.answers and not alone:
            self.answers[path] = self.answer(path)

    def is_program(self, file: SourceFile) -> bool:
        """Whether a file that is not about other ranks is run in several processes all the same, over what it imports.

        It begins such a run itself, or a framework calls what it defines.
        """
        from ddplint.project.pool import is_test

        if file not in self._programs:
            asked = self.index.is_program(file) or self.index.has_hooks(file)
            self._programs[file] = asked and not is_test(file)
        return self._programs[file]

    def leads_to(self, file: SourceFile, module: Module) -> bool:
        """Whether calls lead from a file to what speaks to others, or writes, in a module. It is noted who asked."""
        question = f"{file.real_path}{_LEADS_TO}{module.file.real_path}"
        return bool(self.answers.get(question) or self.answers.setdefault(question, self.answer(question)))

    def configured(self, key: str, module: Module) -> tuple[configured.Target, ...]:
        """What the project's configuration files name under a key. It is noted that the walk asked."""
        asked = configured.question(self.top(module), key)
        self.answers.setdefault(asked, configured.answer(asked))
        return configured.targets(self.top(module), key)

    def named_under(self, key: str, module: Module) -> Iterable[str]:
        """The same by name alone, without a note; without a key, under any."""
        return configured.names(self.top(module), key)

    def registering_behind(self, module: Module) -> list[Module]:
        """The modules that an import of a module runs, and that register what matters. It is noted who asked.

        They are none where they are many: of so many that may be picked by a name nothing is known.
        """
        question = f"{module.file.real_path}{_REGISTER}"
        if question not in self.answers:
            self.answers[question] = self.answer(question)
        return [self.module_of(file) for file in self._registering(module.file) if self.answers[question]]

    def _registering(self, file: SourceFile) -> list[SourceFile]:
        found = self.index.registering.behind(self.index.unit(file))
        return [unit.file for unit in found] if len(found) <= limits.REGISTERING else []

    def answer(self, question: str) -> str:
        """What the index says now, as a short text: of a file, by its path, or of where calls lead from it."""
        if configured.ASKED in question:
            return configured.answer(question)
        path, _, other = question.partition(_LEADS_TO)
        file = self.source(Path(path))
        if file is None:
            return ""
        if question.endswith(_REGISTER):
            return " ".join(str(one.real_path) for one in self._registering(file))
        if other:
            leads = other[0] != ">" and self.source(Path(other)) in self.index.leads_to(file)
            return self.index.ways.said(file, other[1:]) if other[0] == ">" else "leads" * leads
        if self.index.is_about_ranks(file):
            return "ranks"
        return f"{'program ' * self.is_program(file)}{digest_of(self.index.worth(file))}"

    def every(self) -> list[SourceFile]:
        """The files of the project, those that are checked first; tests are left out.

        They call with stand-ins, on processes of their own making.
        """
        from ddplint.project.pool import files_below, is_test

        tops = dict.fromkeys(self.top(self.module_of(file)) for file in self._given)
        below = [path for top in tops for path in files_below(top).paths]
        found = {file.real_path: file for file in self._given}
        for path in below:
            read = self.source(path)
            if read is not None:
                found.setdefault(read.real_path, read)
        return [file for file in found.values() if not is_test(file)]

    def take_over(self, before: Project) -> None:
        """Take over what another state of the project has read and found, but for the files that are others now."""
        for path, file in before._known.items():
            self._known.setdefault(path, file)
        changed = {path for path, file in self._known.items() if before._known.get(path) is not file}
        self._modules = {path: module for path, module in before._modules.items() if path not in changed}
        kept = {id(module) for module in self._modules.values()}
        self._found = {key: one for key, one in before._found.items() if one is None or id(one) in kept}
        self._where = dict(before._where)

    def held(self, path: Path) -> SourceFile | None:
        """The file at a path, as it was read or rewritten."""
        return self._known.get(Path(identity(str(path))))

    def module_of(self, file: SourceFile) -> Module:
        """The module that a file is."""
        path = file.real_path
        if path not in self._modules:
            root, name = roots.place(path)
            self._modules[path] = Module(file, name, root, path.name == "__init__.py")
        return self._modules[path]

    def absolute(self, name: str, level: int, module: Module) -> str:
        """The absolute name of a relative import in ``module``."""
        parts = module.name.split(".")
        keep = len(parts) - level + (1 if module.is_package else 0)
        base = ".".join(parts[: max(keep, 0)])
        return f"{base}.{name}" if base and name else base or name

    def full_name(self, origin: str, module: Module) -> str:
        """The absolute name of what ``module`` imports; relative ones begin with dots."""
        path = origin.lstrip(".")
        level = len(origin) - len(path)
        return self.absolute(path, level, module) if level else path

    def find(self, name: str, module: Module) -> Module | None:
        """The project's module of an absolute name as seen from ``module``; None where it is not of the project.

        It is noted that the walk asked for it.
        """
        for key in self._places(name, module):
            self.asked.add(key)
            if (found := self._at(key)) is not None:
                return found
        return None

    def where(self, name: str, module: Module) -> Module | None:
        """The same, without a note."""
        return next((found for key in self._places(name, module) if (found := self._at(key)) is not None), None)

    def _places(self, name: str, module: Module) -> Iterator[tuple[str, Path, Path]]:
        """Where a name is looked for: around the module, then in the folders that it adds to ``sys.path`` itself."""
        if name:
            yield name, module.root, self._beside(name, module)
            for added in self.index.unit(module.file).record.paths:
                folder = Path(os.path.normpath(module.folder / added))
                yield name, folder, folder

    def _at(self, key: tuple[str, Path, Path]) -> Module | None:
        if key not in self._found:
            self._found[key] = self._search(*key)
        return self._found[key]

    def _beside(self, name: str, module: Module) -> Path:
        """The folder whose modules may be imported without the name of their package: that of a script.

        A module that imports relatively, or that would find itself, is one of a package: ``deepspeed.py`` in a package
        that imports ``deepspeed`` means the library.
        """
        itself = module.folder != module.root and name.partition(".")[0] == module.file.real_path.stem
        return module.root if itself or self.index.unit(module.file).imports_relatively else module.folder

    def begin(self, file: SourceFile, seen: Iterable[Visited]) -> None:
        """Note from now on what is asked for and what walks reach; what was ``seen`` of ``file`` was before."""
        self.asked, self.answers = set(), {}
        self._begun, self._seen, self.visits = file, merged(seen), Visits()

    def has_run(self, node: cst.FunctionDef | cst.Lambda) -> bool:
        """Whether a finished walk, or a caller of the file, has run a function of the file."""
        return self.ranks(RAN, node) != 0

    def ranks(self, what: str, node: cst.FunctionDef | cst.Lambda | cst.ClassDef) -> int:
        """The ranks (as bits) that ran, named or made objects of a definition of the file, as far as is known."""
        found = self.visits.ranks(what, node)
        if self._seen and self._begun is not None:
            found |= self._seen.get(f"{what} {name_of(node, self._begun)}", 0)
        return found

    def askers(self, method: str) -> int:
        """The ranks (as bits) that called a method of that name on something unknown, as far as is known."""
        return self.visits.asked().get(method, 0) | self._seen.get(f"{ASKED} {method}", 0)

    def is_unmentioned(self, name: str) -> bool:
        """Whether nothing in the project names a function of the file that is walked."""
        return f"{UNMENTIONED} {name}" in self._seen

    def newly_visited(self) -> frozenset[tuple[str, str, int]]:
        """What was visited since :meth:`begin`: the real path of the file, what was done to what, and the ranks.

        No path stands before the methods that something unknown was asked for.
        """
        asked = {("", f"{ASKED} {method}", ranks) for method, ranks in self.visits.asked().items()}
        return frozenset(asked) | frozenset(
            (str(file.real_path), what, ranks)
            for file, what, ranks in self.visits.records()
            if not (file is self._begun and self._seen.get(what, 0) | ranks == self._seen.get(what, 0))
        )

    def parsed(self, file: SourceFile) -> int:
        """How many bytes of source there are trees of, after a walk of ``file``."""
        lately = [module.file for key in self.asked if (module := self._found[key]) is not None]
        for one in (file, *lately):
            self._used.pop(one.real_path, None)
            if one.is_parsed:
                self._used[one.real_path] = one
        return sum(len(one.data) for one in self._used.values())

    def forget_trees(self) -> None:
        """Give back the memory of the trees that were not used lately; their nodes must not be asked about any more."""
        left = sum(len(file.data) for file in self._used.values())
        for path, file in list(self._used.items()):
            if left <= limits.PARSED_BYTES * 2 // 3:
                return
            left -= len(file.data)
            file.forget_tree()
            del self._used[path]

    def lookups(self) -> tuple[Lookup, ...]:
        """The modules in ``asked`` and where they are."""
        found = []
        for name, root, here in sorted(self.asked):
            path = self._where.get((name, root, here))
            found.append(Lookup(name, intern(str(root)), intern(str(here)), "" if path is None else intern(str(path))))
        return tuple(found)

    def _search(self, name: str, root: Path, here: Path) -> Module | None:
        path = self._where[name, root, here] = roots.locate(name, root, here)
        if path is None:
            return None
        return self._load(path, name) if path.suffix == ".py" else self._namespace(path, name, root)

    def _load(self, path: Path, name: str) -> Module | None:
        real = Path(identity(str(path)))
        if real in self._modules:
            return self._modules[real]
        file = self.source(path)
        if file is None:
            return None
        root, own = roots.place(real)
        module = self._modules[real] = Module(file, own or name, root, real.name == "__init__.py")
        return module

    def source(self, path: Path) -> SourceFile | None:
        """The file at ``path``, read once; None where it cannot be read."""
        real = Path(identity(str(path)))
        if real not in self._known:
            read = read_module(real)
            if read is None:
                return None
            self._known[real] = read
        return self._known[real]

    def top(self, module: Module) -> Path:
        """The folder that holds the whole project, as far as that is known."""
        *_, top = (module.root, *roots.folders_above(module.root))
        return top

    def _namespace(self, path: Path, name: str, root: Path) -> Module:
        """A directory without ``__init__.py``: an empty package."""
        real = path.resolve()
        if real not in self._modules:
            self._modules[real] = Module(SourceFile(f"{path.as_posix()}/__init__.py", b""), name, root, True)
        return self._modules[real]


def read_module(path: Path) -> SourceFile | None:
    """The file of a module, named from the current folder where it is below that; ``None`` where it cannot be read."""
    real, here = identity(str(path)), os.path.join(os.getcwd(), "")
    shown = real[len(here) :].replace(os.sep, "/") if real.startswith(here) else path.as_posix()
    try:
        file = SourceFile(shown, read_regular(real))
    except OSError:
        return None
    file.__dict__["real_path"] = Path(real)
    return file
