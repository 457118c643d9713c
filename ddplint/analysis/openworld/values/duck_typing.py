"""What objects of unknown making are: by what they are asked for, and by methods that the project defines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.memory.records import Life, Record

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp
    from ddplint.project.modules import Module


_IMPORTS = r"^[ \t]*(?:import|from)[ \t]+(?:{})\b"
_OWNER = r"(?<![\w.])([A-Za-z_][\w.]*)\.{}\b"
_TESTS = r"(?<![\w.])([A-Za-z_][\w.]*)\.(?:{})\(\s*([^\s(),]+)\s*[,)]"
_CHANGES = r"(?<![\w.]){}\.(?:{})\(\s*{}\s*[,)]"
_ASKED = r"(?<![\w.]){}\.(?:{})\b"


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
        module.told = dict(_stores(module.text, w.knowledge.stores()))
        module.told.update(_told(module.text, w.knowledge.told()))
    return module.told.get(_dotted(attribute.value)) if module.told else None


def _told(text: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The dotted names that a text tells the class of."""
    for by, row in rows.items():
        if by not in text or not re.search(_IMPORTS.format("|".join(row["packages"])), text, re.MULTILINE):
            continue
        for name in {match.group(1) for match in re.finditer(_OWNER.format(by), text)}:
            if re.search(_ASKED.format(re.escape(name), "|".join(row["beside"])), text):
                yield name, str(row["of"])


def _stores(text: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The names of stores of files: they are asked for a path, and change the same path."""
    for of, row in rows.items():
        changes = "|".join(row["changes"])
        if not re.search(rf"\.(?:{changes})\(", text):
            continue
        for owner, path in set(re.findall(_TESTS.format("|".join(row["tests"])), text)):
            if re.search(_CHANGES.format(re.escape(owner), changes, re.escape(path)), text):
                yield owner, of


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(parts)]) if isinstance(node, cst.Name) else ""


_ASKS_WHO = re.compile(
    r"rank|is_(?:main|master|primary|global_zero)|main_process|master_only|should_save|process_index"
)

_ON_SELF = re.compile(r"\bself\.(\w+)\(")


def is_own(w: Interp, name: str) -> bool:
    """Whether a class in reach of the module that is walked has such a method, and it asks which process it is in."""
    start = w.frame.module
    known = w.record(OwnMethods).known.get((start.key, name))
    if known is None:
        inside = w.frame.callee is not None and w.frame.callee.name == name  # hands on to another class's
        texts = [one.text for one in _in_reach(w, start) if not (inside and one is start)]
        bodies = list(_bodies(texts, name))
        known = w.record(OwnMethods).known[start.key, name] = any(map(_ASKS_WHO.search, bodies))
    return known


def _bodies(texts: list[str], name: str) -> Iterator[str]:
    """The source of the methods of that name, and of the methods that they call on themselves."""
    inner: set[str] = set()
    for body in _methods(texts, name):
        yield body
        inner.update(_ON_SELF.findall(body))
    for called in sorted(inner - {name}):
        yield from _methods(texts, called)


def _methods(texts: list[str], name: str) -> Iterator[str]:
    head = re.compile(rf"^([ \t]+)def {re.escape(name)}\(.*\n(?:(?:\1[ \t)]+.*|[ \t]*)\n)*", re.MULTILINE)
    for text in texts:
        if f"def {name}(" in text:
            yield from (found.group() for found in head.finditer(text))


def _in_reach(w: Interp, start: Module) -> Iterator[Module]:
    """A module and those of the project that it imports, themselves or through others."""
    seen, ring = {start.key}, [start]
    yield start
    for _ in range(limits.REACH_DEPTH):
        following = []
        for module in ring:
            for found in _imports(w, module):
                if found.key not in seen and len(seen) < limits.REACH_MODULES:
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
