"""What objects of unknown making are: by what they are asked for, and by methods that the project defines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.knowledge import guesses
from ddplint.project.index.records import Call
from ddplint.project.index.units import Function, Unit
from ddplint.project.modules import Module


@dataclass(slots=True)
class OwnMethods(Record):
    """Whether a class in reach of a module has a method that asks which process it is in."""

    life = Life.FILE
    known: dict[tuple[int, str], bool] = field(default_factory=dict)


def class_of(w: Interp, node: cst.CSTNode) -> str | None:
    """The class of what an attribute is taken from, or a method called on; None where nothing tells it."""
    attribute = node.func if isinstance(node, cst.Call) else node
    if not isinstance(attribute, cst.Attribute):
        return None
    module = w.frame.module
    if module.told is None:
        unit = w.project.index.unit(module.file)
        module.told = dict(_stores(unit, w.knowledge.stores()))
        module.told.update(_told(unit, w.knowledge.told()))
    return module.told.get(_dotted(attribute.value)) if module.told else None


def _told(unit: Unit, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The dotted names that a file tells the class of: by two things that it asks of them, and what it imports."""
    packages = {one.origin.partition(".")[0] for one in unit.record.imports}
    for by, row in rows.items():
        if not packages.isdisjoint(row["packages"]):
            beside = set(row["beside"])
            yield from ((owner, row["of"]) for owner, asked in unit.asked.items() if by in asked and asked & beside)


def _stores(unit: Unit, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The dotted names that are asked whether something is there, and to change just that."""
    calls = [call for one in unit.record.functions for call in one.calls if call.given and call.given[0]]
    for of, row in rows.items():
        changed = {(_owner(call, row["changes"]), call.given[0]) for call in calls}
        for call in calls if changed else ():
            owner = _owner(call, row["tests"])
            if owner and (owner, call.given[0]) in changed:
                yield owner, of


def _owner(call: Call, names: Sequence[str]) -> str:
    """What one of some methods is called on, where that is a name; else empty."""
    before, _, last = call.callee.rpartition(" ")
    return before.replace(" ", "") if last[1:] in names and "()" not in before and "[" not in before else ""


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(parts)]) if isinstance(node, cst.Name) else ""


def is_own(w: Interp, name: str) -> bool:
    """Whether a class in reach of the module that is walked has such a method, and it asks which process it is in."""
    start = w.frame.module
    known = w.record(OwnMethods).known.get((start.key, name))
    if known is None:
        inside = w.frame.callee is not None and w.frame.callee.name == name  # hands on to another class's
        units = [w.project.index.unit(one.file) for one in _in_reach(w, start) if not (inside and one is start)]
        asks_who = guesses.pattern("asks who").search
        words = (word for one in _bodies(units, name) for word in w.project.index.mentions(one))
        known = w.record(OwnMethods).known[start.key, name] = any(map(asks_who, words))
    return known


def _bodies(units: list[Unit], name: str) -> Iterator[Function]:
    """The methods of that name, and those that they call on themselves."""
    inner: set[str] = set()
    for method in _methods(units, name):
        yield method
        callees = (call.callee.split(" ") for call in method.record.calls)
        inner.update(words[1][1:] for words in callees if len(words) == 2 and words[0] == "self")
    for called in sorted(inner - {name}):
        yield from _methods(units, called)


def _methods(units: list[Unit], name: str) -> Iterator[Function]:
    every = (many for unit in units for full, many in unit.functions.items() if full.rpartition(".")[2] == name)
    yield from (one for many in every for one in many if one.record.owner)


def _in_reach(w: Interp, start: Module) -> Iterator[Module]:
    """A module and those of the project that it imports, themselves or through others."""
    seen, ring = {start.key}, [start]
    yield start
    for _ in range(limits.REACH_DEPTH):
        following = []
        for module in ring:
            for found in _imports(w, module):
                if found.key not in seen:
                    seen.add(found.key)
                    following.append(found)
                    yield found
        ring = following


def _imports(w: Interp, module: Module) -> Iterator[Module]:
    for one in w.project.index.unit(module.file).record.imports:
        full = w.project.full_name(one.origin, module)
        for name in (full, full.rpartition(".")[0]):
            found = w.project.find(name, module) if name else None
            if found is not None:
                yield found
                break
