"""What an object of unknown making is, by the attributes that its module asks it for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:
    from ddplint.simulate.walker import Walker

_IMPORTS = r"^[ \t]*(?:import|from)[ \t]+(?:{})\b"
_OWNER = r"(?<![\w.])([A-Za-z_][\w.]*)\.{}\b"
_ASKED = r"(?<![\w.]){}\.(?:{})\b"


def class_of(w: Walker, node: cst.CSTNode) -> str | None:
    """The class of what an attribute is taken from, or a method called on; None where nothing tells it."""
    attribute = node.func if isinstance(node, cst.Call) else node
    if not isinstance(attribute, cst.Attribute):
        return None
    module = w.frame.module
    names = w.told.get(module.key)
    if names is None:
        names = w.told[module.key] = dict(_told(module.text, w.knowledge.told()))
    return names.get(_dotted(attribute.value)) if names else None


def _told(text: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The dotted names that a text tells the class of."""
    for by, row in rows.items():
        if by not in text or not re.search(_IMPORTS.format("|".join(row["packages"])), text, re.MULTILINE):
            continue
        for name in {match.group(1) for match in re.finditer(_OWNER.format(by), text)}:
            if re.search(_ASKED.format(re.escape(name), "|".join(row["beside"])), text):
                yield name, str(row["of"])


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(parts)]) if isinstance(node, cst.Name) else ""
