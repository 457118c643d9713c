"""Which files a run reads, and which of them are worth a walk, by their bytes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from ddplint.config.settings import Settings, settings_for
from ddplint.project.discovery import SUFFIXES, Discovered, discover, excluded
from ddplint.project.kinds import kind_of
from ddplint.util.regular import NOT_REGULAR
from ddplint.util.stack import on_deep_stack

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from ddplint.launch.text import LaunchSource
    from ddplint.project.modules import Project
    from ddplint.source.file import SourceFile

_PYTHON = re.compile(rb"#![^\n]*\bpython")


def chosen_files(paths: Iterable[str], settings: Settings) -> list[str]:
    """The files that a check of ``paths`` would read."""
    return list(chosen([path for path in paths if path != "-"], settings)[1])


def no_file(path: Path) -> str:
    """What something that is called like a file is instead: a link to nowhere as in a checkout without submodules."""
    if not os.path.exists(path):
        return "a link to nowhere" if path.is_symlink() else ""
    return "" if os.path.isfile(path) else NOT_REGULAR


def is_program(file: SourceFile) -> bool:
    """Whether a named file is something to check: by its name, by its first line, or because its name says nothing."""
    return (
        file.path.endswith((*SUFFIXES, ".pyw"))
        or "." not in Path(file.path).name.lstrip(".")
        or bool(kind_of(file.path, file.data[:80]))
        or _PYTHON.match(file.data) is not None
    )


def opened(file: SourceFile) -> SourceFile:
    """The file, as a launch file where its name or its first line says so."""
    if file.path.endswith(SUFFIXES) or not kind_of(file.path, file.data[:80]):
        return file
    from ddplint.launch.text import LaunchSource

    return LaunchSource(file.path, file.data)


def names(paths: Iterable[str]) -> frozenset[str]:
    """The paths that the user gave, spelled as the files that are found."""
    return frozenset(Path(path).as_posix() for path in paths)


def chosen(paths: list[str], settings: Settings) -> tuple[Discovered, list[str]]:
    """What ``paths`` stand for, and the files of that to check."""
    found = discover(paths, settings.exclude, settings.root, force=settings.force_exclude)
    return found, list(_unless_excluded(found.files, names(paths), settings))


def _unless_excluded(files: Iterable[str], named: Container[str], run: Settings) -> Iterator[str]:
    """The files that the configuration of their own folder does not exclude.

    Those named outright are all taken, unless ``force_exclude`` says that patterns hold for them, too.
    """
    for file in files:
        own = settings_for(file, run)
        taken = file in named and not run.force_exclude
        if taken or own is run or not excluded(Path(file), own.exclude, own.root):
            yield file


def is_launch(file: SourceFile) -> TypeGuard[LaunchSource]:
    """Whether a file was opened as a launch file."""
    return bool(getattr(file, "is_launch", False))


def programs(silent: Iterable[SourceFile], others: Iterable[SourceFile], settings: Settings) -> list[SourceFile]:
    """Of files that say nothing of other ranks, those that speak to them all the same, over files that they import."""
    silent = [file for file in silent if file.path.endswith(SUFFIXES)]
    every = [*silent, *(file for file in others if file.path.endswith(SUFFIXES))]
    if not any(_leads_elsewhere(file) for file in silent):
        return []
    from ddplint.project.modules import Project

    project = Project(every, settings)
    return on_deep_stack(lambda: [file for file in silent if project.is_program(file)])


def _leads_elsewhere(file: SourceFile) -> bool:
    """Whether a file may import another file of its project: there is one of that name in a folder above it.

    Or it makes objects of what a configuration names. It spares runs over files that have nothing to do with other
    ranks the loading of all that walks programs.
    """
    if b"import" not in file.data:
        return False
    from ddplint.project import configured
    from ddplint.project.index.reading.file import read

    record = read(file)
    modules = {one.module for one in record.imports}
    if record.problem or any(module.startswith(".") for module in modules) or configured.makes(record.imports):
        return True
    names = {module.partition(".")[0] for module in modules}
    beside = (folder / name for folder in Path(file.real_path).parents for name in names)
    return any(os.path.isdir(one) or os.path.isfile(f"{one}.py") for one in beside)


def speaks(file: SourceFile, settings: Settings, project: Project) -> bool:
    """Whether a file is about other ranks, or is a program that speaks to them over files that it imports.

    Parameters: ``settings``, those of the file's own folder, which may have names of its own.
    """
    own = own_names(settings)
    return (own and not own.isdisjoint(project.index.unit(file).words)) or project.speaks(file)


def works() -> tuple[re.Pattern[bytes], ...]:
    """The signs of a file that matters where one that speaks of other ranks calls it."""
    from ddplint.knowledge import load_knowledge

    knowledge = load_knowledge()
    return knowledge.touches(), knowledge.learns()


def words(settings: Settings) -> re.Pattern[bytes]:
    """What a file must mention to be worth reading: the words of the knowledge tables and the user's own names."""
    from ddplint.knowledge.own_rows import knowledge_with

    return knowledge_with(settings.knowledge).prefilter()


def own_names(settings: Settings) -> frozenset[str]:
    """The user's own names for what speaks to other ranks, their last words."""
    own = settings.knowledge
    names = (*own.collectives, *own.rank_predicates, *own.sanitizers, *own.rank_zero_decorators)
    return frozenset(name.rpartition(".")[2] for name in names)
