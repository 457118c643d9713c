"""A Python file → the same facts: what it puts into ``os.environ`` and into the environment of its children."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.findings.edits import Replace
from ddplint.findings.launch_facts import Assignment, LaunchFile
from ddplint.findings.model import Fix, Place, Safety
from ddplint.launch.kinds import is_trial
from ddplint.source.ancestry import descend
from ddplint.source.tree import dotted

if TYPE_CHECKING:
    from ddplint.source.file import SourceFile


_ENVIRON = frozenset({"os.environ", "environ"})
_CHILD = frozenset({"env", "env_vars"})
_SPEAKS = re.compile(r"\b(?:environ|putenv|env|env_vars)\b")
_KINDS = (cst.Assign, cst.Call, cst.Arg, cst.DictElement, cst.Dict)


@lru_cache(maxsize=1)
def python_facts(file: SourceFile) -> LaunchFile:
    """The variables that a Python file sets. Raises :class:`file.SourceError` where it does not parse."""
    found: dict[int, Assignment] = {}
    if _SPEAKS.search(file.text):
        nodes = [node for node in descend(file.module) if type(node) in _KINDS]
        copies, given = _copies(nodes), _handed_over(file)
        for node in nodes:
            for one in (*_assigned(file, node, copies), *_named(file, node, given)):
                found.setdefault(id(one.place.node), one)
    return LaunchFile(file, "python", is_trial(file.path), tuple(found.values()))


def _assigned(file: SourceFile, node: cst.CSTNode, copies: frozenset[str]) -> Iterator[Assignment]:
    if isinstance(node, cst.Assign):
        for target in node.targets:
            yield from _subscript(file, target.target, node.value, copies)
    elif isinstance(node, cst.Call):
        called = dotted(node.func)
        owner, _, method = called.rpartition(".")
        values = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if (owner in _ENVIRON and method == "setdefault") or called == "os.putenv":
            if len(values) == 2:
                yield from _pair(file, values[0], values[1], child=False)
        elif owner in _ENVIRON and method == "update" and values and isinstance(values[0], cst.Dict):
            yield from _display(file, values[0], child=False)
    elif isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in _CHILD:
        if isinstance(node.value, cst.Dict):
            yield from _display(file, node.value, child=True)
    elif isinstance(node, cst.DictElement) and _string(node.key) in _CHILD and isinstance(node.value, cst.Dict):
        yield from _display(file, node.value, child=True)
    elif isinstance(node, cst.Dict) and any(
        isinstance(one, cst.StarredDictElement) and dotted(one.value) in _ENVIRON for one in node.elements
    ):
        yield from _display(file, node, child=True)


def _named(file: SourceFile, node: cst.CSTNode, given: frozenset[str]) -> Iterator[Assignment]:
    """Variables that are keywords of a call (``patched(NCCL_DEBUG="INFO")``), or keys of a dictionary handed over."""
    if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in _variables():
        name = node.keyword
        yield Assignment(name.value, _string(node.value), Place(file, name), True, _renaming_keyword(file, name))
    elif (
        isinstance(node, cst.Assign)
        and isinstance(node.value, cst.Dict)
        and any(dotted(target.target) in given for target in node.targets)
    ):
        yield from _display(file, node.value, child=False)


@lru_cache(maxsize=1)
def _variables() -> frozenset[str]:
    """The variables of the tables that no ordinary keyword is called like."""
    from ddplint.knowledge import load_knowledge

    return frozenset(name for name in load_knowledge().envs() if "_" in name and name.isupper())


def _handed_over(file: SourceFile) -> frozenset[str]:
    """Names of dictionaries whose pairs a loop, or a call, puts into the environment."""
    found: set[str] = set()
    for node in descend(file.module) if "environ" in file.text else ():
        if isinstance(node, cst.Call) and dotted(node.func).rpartition(".")[::2] in _UPDATES and node.args:
            found.add(dotted(node.args[0].value))
        elif isinstance(node, cst.For) and isinstance(node.iter, cst.Call) and _fills(node):
            found.add(dotted(node.iter.func).removesuffix(".items"))
    return frozenset(found) - {""}


_UPDATES = frozenset((owner, "update") for owner in _ENVIRON)


def _fills(loop: cst.For) -> bool:
    """``for key, value in pairs.items(): os.environ[key] = value``, or the same with ``setdefault``."""
    target = loop.target.elements[0].value if isinstance(loop.target, cst.Tuple) and loop.target.elements else None
    name = dotted(target) if target is not None else ""
    for node in descend(loop.body) if name else ():
        if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Subscript):
            index = node.target.slice[0].slice
            if dotted(node.target.value) in _ENVIRON and isinstance(index, cst.Index) and dotted(index.value) == name:
                return True
        elif isinstance(node, cst.Call) and node.args and dotted(node.args[0].value) == name:
            owner, _, method = dotted(node.func).rpartition(".")
            if owner in _ENVIRON and method == "setdefault":
                return True
    return False


def _renaming_keyword(file: SourceFile, name: cst.Name) -> Callable[[str, str, Safety], Fix]:
    return lambda new, title, safety: Fix(title, safety, (Replace(file, name, name.with_changes(value=new)),))


def _subscript(
    file: SourceFile, target: cst.BaseExpression, value: cst.BaseExpression, copies: frozenset[str]
) -> Iterator[Assignment]:
    if not isinstance(target, cst.Subscript) or len(target.slice) != 1:
        return
    owner, index = dotted(target.value), target.slice[0].slice
    if (owner in _ENVIRON or owner in copies) and isinstance(index, cst.Index):
        yield from _pair(file, index.value, value, child=owner not in _ENVIRON)


def _display(file: SourceFile, node: cst.Dict, *, child: bool) -> Iterator[Assignment]:
    for one in node.elements:
        if isinstance(one, cst.DictElement):
            yield from _pair(file, one.key, one.value, child=child)


def _pair(file: SourceFile, key: cst.BaseExpression, value: cst.BaseExpression, *, child: bool) -> Iterator[Assignment]:
    name = _string(key)
    if isinstance(key, cst.SimpleString) and name is not None:
        yield Assignment(name, _string(value), Place(file, key), child, _renaming(file, key))


def _renaming(file: SourceFile, key: cst.SimpleString) -> Callable[[str, str, Safety], Fix]:
    def renamed(new: str, title: str, safety: Safety) -> Fix:
        text = f"{key.prefix}{key.quote}{new}{key.quote}"
        return Fix(title, safety, (Replace(file, key, key.with_changes(value=text)),))

    return renamed


def _copies(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """Names that hold a copy of the environment."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Call):
            call = node.value
            called, given = dotted(call.func), dotted(call.args[0].value) if call.args else ""
            copied = called.removesuffix(".copy") in _ENVIRON and called.endswith(".copy")
            if copied or (called in ("dict", "copy.copy", "copy.deepcopy") and given in _ENVIRON):
                found.update(name for target in node.targets if (name := dotted(target.target)))
    return frozenset(found)


def _string(node: cst.BaseExpression) -> str | None:
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None
