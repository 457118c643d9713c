"""What an object of unknown making is, by the attributes that its module asks it for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

_IMPORTS = r"^[ \t]*(?:import|from)[ \t]+(?:{})\b"
_OWNER = r"(?<![\w.])([A-Za-z_][\w.]*)\.{}\b"
_TESTS = r"(?<![\w.])([A-Za-z_][\w.]*)\.(?:{})\(\s*([^\s(),]+)\s*[,)]"
_CHANGES = r"(?<![\w.]){}\.(?:{})\(\s*{}\s*[,)]"
_ASKED = r"(?<![\w.]){}\.(?:{})\b"


def class_of(w: Walker, node: cst.CSTNode) -> str | None:
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
