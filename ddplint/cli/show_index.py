"""``--show-index NAME``: what a call of a function does, where each part comes from, who calls it and what it calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.engine.inputs import chosen_files
from ddplint.project.index.records import MODULE, shown
from ddplint.util.spelling import suggestion
from ddplint.util.stack import on_deep_stack

if TYPE_CHECKING:
    from ddplint.config.settings import Settings
    from ddplint.project.index.queries import Index
    from ddplint.project.index.units import Function
    from ddplint.project.modules import Project


def index_text(name: str, paths: Sequence[str], settings: Settings) -> str:
    """What the index knows of functions in ``paths``, by a name: ``fit``, ``Trainer.fit``, ``Trainer``, ``<module>``.

    Raises :class:`SettingsError` where there is none.
    """
    return on_deep_stack(lambda: "\n".join(_lines(name, paths, settings)) + "\n")


def _lines(name: str, paths: Sequence[str], settings: Settings) -> Iterator[str]:
    from ddplint.config.settings import SettingsError
    from ddplint.project.discovery import SUFFIXES
    from ddplint.project.modules import Project
    from ddplint.source.file import SourceFile

    files = [SourceFile.read(path) for path in chosen_files(paths, settings) if path.endswith(SUFFIXES)]
    project = Project(files, settings)
    units = [project.index.unit(file) for file in files]
    every = [one for unit in units for many in unit.functions.values() for one in many]
    found = [one for one in every if _is_called(one, name)]
    unread = [f"{unit.file.path}: not read: {unit.record.problem}" for unit in units if unit.record.problem]
    if not found:
        near = suggestion(name, {one.name.rpartition(".")[2] for one in every})
        fault = f"error: no function or class '{name}' in the {len(files)} files of {', '.join(paths)}{near}"
        raise SettingsError("\n".join([fault, *unread]))
    yield from unread
    for function in found:
        yield from _about(project.index, function, _walked(project, function))


def _is_called(function: Function, name: str) -> bool:
    """Whether a function has a name, or is a method of a class of that name."""
    return any(f".{one}".endswith(f".{name}") for one in (function.name, function.record.owner))


def _walked(project: Project, function: Function) -> str:
    """Whether a function is walked."""
    file, name, index = function.unit.file, function.name.rpartition(".")[2], project.index
    speaks = project.speaks(file)
    if function.is_body:
        return _body_walked(project, function) if speaks else _NOT_BEGUN
    if not speaks:
        worth = index.worth(file).get(function.name.partition(".")[0])
        if worth is None:
            return "not walked: nothing in it matters to other ranks, and its file is not about them"
        if not worth.always:
            return "walked only where it is given something that matters: its file is not about other ranks"
    if index.reads_of(file, function.record.owner.rpartition(".")[2], name) is not None:
        return "walked once for each kind of call: it only computes"
    base = index.called_over(function)
    if base:
        return f"walked as an entry of its own: {base} calls it"
    return "walked where it is called" + (", or as an entry of its own where nothing calls it" if speaks else "")


_NOT_BEGUN = "not walked as a program: its file is not about other ranks, and begins no run of several processes"


def _body_walked(project: Project, body: Function) -> str:
    if project.index.is_about_ranks(body.unit.file):
        return "walked as a program of its own: its file is about other ranks"
    return "walked as a program of its own: over what it imports, it is run in several processes"


def _about(index: Index, function: Function, walked: str) -> Iterator[str]:
    path = function.unit.file.path
    yield f"{path}:{function.record.first}: {function.name}"
    yield f"  is {walked}"
    effects = sorted(index.effects(function).items())
    yield from (f"  {effect}: {why.text} (line {why.line})" for effect, why in effects)
    if not effects:
        yield "  does nothing that other ranks may notice"
    for (number, words), why in sorted(index.given(function).items()):
        parameter = function.record.params[number] if number < len(function.record.params) else str(number)
        yield f"  calls what it is given: {shown(f'{parameter} {words}'.rstrip())} (line {why.line})"
    for edge in function.edges:
        name = edge.target.name if edge.target.name != MODULE else edge.target.unit.file.path
        how = "" if edge.how == "direct" else f", {_HOW.get(edge.how, edge.how)}"
        yield f"  calls {name} ({edge.target.unit.file.path}:{edge.target.record.first}, line {edge.call.line}{how})"
    yield from (f"  leaves open {shown(call.callee)} (line {call.line})" for call in function.open_calls if call.callee)
    callers = index.callers(function)
    yield from (f"  called by {one.name} ({one.unit.file.path}:{one.record.first})" for one in callers)
    if not callers and not function.is_body:
        yield "  called by nobody that was found (tests do not count)"


_HOW = {
    "handed": "handed on",
    "name": "by its name alone",
    "given": "through what it is given",
    "decorator": "a decorator",
}
