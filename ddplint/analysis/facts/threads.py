"""Collectives that run in a thread while the code that started it communicates, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.source.ancestry import descend
from ddplint.source.calls import argument, calls_in, last_part, names_called
from ddplint.source.file import SourceFile
from ddplint.source.tree import dotted, only_part
from ddplint.source.words import words_in

_OWN_GROUP = frozenset({"init_process_group", "new_group", "init_device_mesh"})
"""What a function calls that has a group for its thread, or plays the part of a rank."""

_ENDS = frozenset({"join", "wait", "result", "get", "acquire"})
"""What may be over only when the thread is."""


@dataclass(frozen=True, eq=False)
class Beside:
    """A thread is begun by ``start``; ``inside`` communicates in it, ``beside`` meanwhile where it was begun."""

    start: cst.Call
    inside: cst.CSTNode
    beside: cst.Call


def in_threads(file: SourceFile) -> Iterator[Beside]:
    """The threads of a file that communicate in the same group as what follows their start, with no wait between."""
    if not any(word in file.text for word in ("Thread(", ".submit(", "async_save(")):
        return
    for node in descend(file.module):
        if isinstance(node, cst.Call):
            site = Site(file, node)
            if _saves(site, node):
                meanwhile = _meanwhile(site, node)
                if meanwhile is not None and _may_meet_save(file, meanwhile):
                    yield Beside(node, node, meanwhile)
                continue
            target = _target(site, node)
            inside = _speaking(site, target) if target is not None else None
            beside = _meanwhile(site, node) if inside is not None else None
            if inside is not None and beside is not None:
                yield Beside(node, inside, beside)


def _saves(site: Site, call: cst.Call) -> bool:
    """Whether a call saves in a thread of its own, and communicates there in the default group."""
    row = site.known(call.func)
    return row is not None and row.kind == "save_all_ranks" and row.blocking == "none" and not _has_group(site, call)


def _may_meet_save(file: SourceFile, call: cst.Call) -> bool:
    """Whether a collective runs where the save sends its plans, on the CPU: tensors may have another backend."""
    name = getattr(call.func, "attr", call.func)
    objects = isinstance(name, cst.Name) and ("object" in name.value or name.value == "monitored_barrier")
    return objects or any(map(_begins_on_the_cpu, calls_in(file.module)))


def _begins_on_the_cpu(call: cst.Call) -> bool:
    backend = argument(call, "backend", 0) if last_part(call.func) == "init_process_group" else None
    return isinstance(backend, cst.SimpleString) and backend.evaluated_value == "gloo"


def _target(site: Site, call: cst.Call) -> cst.BaseExpression | None:
    """The function that a call has run in a thread, unless it is given a group."""
    if any("group" in word for arg in call.args for word in words_in(arg)):
        return None
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "submit" and call.args:
        return call.args[0].value if call.args[0].keyword is None else None
    return argument(call, "target", 1) if site.qualified(call.func) == "threading.Thread" else None


def _speaking(site: Site, target: cst.BaseExpression) -> cst.CSTNode | None:
    """What communicates in the default group when a function is called."""
    row = site.known(target)
    if row is not None:
        return target if _is_collective(site, target) else None
    function = site.local_function(target)
    if function is None or any(own in word for word in words_in(function) for own in _OWN_GROUP):
        return None
    return _first(site, function.body)


def _first(site: Site, code: cst.CSTNode) -> cst.Call | None:
    """The first call of a collective of torch on the default group."""
    for node in descend(code, into_functions=False):
        if isinstance(node, cst.Call) and _is_collective(site, node.func) and not _has_group(site, node):
            return node
    return None


def _is_collective(site: Site, function: cst.BaseExpression) -> bool:
    row = site.known(function)
    return row is not None and row.framework == "torch" and row.kind == "collective" and row.form == "function"


def _has_group(site: Site, call: cst.Call) -> bool:
    row = site.known(call.func)
    starred = any(arg.star for arg in call.args)
    return starred or row is None or argument(call, row.group.name or "group", row.group.position) is not None


def _meanwhile(site: Site, start: cst.Call) -> cst.Call | None:
    """What communicates behind the start of a thread in the same block, before anything there may wait for it."""
    statement = site.tree.statement(start)
    lines = list(getattr(site.tree.block(statement), "body", ()))
    if statement not in lines:
        return None
    began, kept = _begins(site, start, statement), _kept_as(site, start, statement)
    for line in lines[lines.index(statement) + 1 :]:
        calls = list(calls_in(line, into_functions=False))
        names = [call.func.attr.value for call in calls if isinstance(call.func, cst.Attribute)]
        if not began:
            began = "start" in names
            continue
        if _ENDS & set(names) or (kept and kept in map(dotted, descend(line))):
            return None
        if found := _first(site, line):
            return found
    return None


def _begins(site: Site, start: cst.Call, statement: cst.CSTNode) -> bool:
    """Whether the thread runs as soon as it is made: ``submit(...)``, ``Thread(...).start()``."""
    if (isinstance(start.func, cst.Attribute) and start.func.attr.value == "submit") or _saves(site, start):
        return True
    return "start" in names_called(statement)


def _kept_as(site: Site, start: cst.Call, statement: cst.CSTNode) -> str:
    """The name under which the answer of a save is kept: whoever is given it may wait for it."""
    only = only_part(statement)
    if not _saves(site, start) or not isinstance(only, cst.Assign) or only.value is not start:
        return ""
    return dotted(only.targets[0].target)
