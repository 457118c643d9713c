"""Options whose default or help says that a path is on each node's own disk."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Event, Value, Walk, terms
from ddplint.rule.code import SourceFile, called, calls_in
from ddplint.rule.facts import paths

__all__ = ["NODE_DISKS", "says_option"]

NODE_DISKS = ("/tmp", "/dev/shm", "/scratch", "/local", "/var/tmp", "/raid", "/mnt/local", "/localdisk")
"""Where nodes commonly keep what is theirs alone."""

_LOCAL = re.compile(
    r"local (?:storage|disks?|ssd|drive|scratch|to (?:a|each|the) node)|node.local"
    r"|(?:each|every|per|one) node|on the node|not (?:on )?(?:a )?shared|scratch (?:space|disk|folder|directory)",
    re.IGNORECASE,
)


def says_option(walk: Walk, event: Event) -> bool:
    """Whether the option that a path begins with says so, in the program or where the file is written."""
    target = event.target
    names = set(_options(target)) if target is not None else set()
    around = {id(file): file for file in (walk.file, event.file, *(frame.file for frame in event.stack))}
    return any(_is_local(call) for file in around.values() for call in _added(file, names))


def _options(target: Value) -> Iterator[str]:
    """The attributes that the first piece of a path was read from: ``args.output``."""
    first = next(iter(paths.pieces(target)), None)
    stack = [first]
    while stack:
        part = stack.pop()
        term = terms.term_of(part)
        if term is None:
            continue
        made = term.whole
        if isinstance(made, terms.Attr) and isinstance(made.name, str):
            yield made.name
        else:
            stack.extend(made.parts)


def _added(file: SourceFile, names: set[str]) -> Iterator[cst.Call]:
    """The calls ``add_argument("--name", ...)`` for these names."""
    if not names or "add_argument" not in file.text or not any(name in file.text for name in names):
        return
    for call in calls_in(file.module):
        if called(call).endswith(".add_argument") and _name_of(call) in names:
            yield call


def _name_of(call: cst.Call) -> str:
    flags = [_text(arg.value) for arg in call.args if arg.keyword is None]
    dest = next((_text(arg.value) for arg in call.args if arg.keyword and arg.keyword.value == "dest"), "")
    return dest or max(flags, key=len, default="").lstrip("-").replace("-", "_")


def _is_local(call: cst.Call) -> bool:
    given = {arg.keyword.value: _text(arg.value) for arg in call.args if arg.keyword is not None}
    return given.get("default", "").startswith(NODE_DISKS) or _LOCAL.search(given.get("help", "")) is not None


def _text(node: cst.BaseExpression) -> str:
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        value = node.evaluated_value
        return value if isinstance(value, str) else ""
    return ""
