"""The form in which a tree is kept: quick to read, and bodies of functions are read when somebody looks into them.

Most of what an imported module holds is never walked. The body of a function is a pickle of its own inside the pickle
of what is around it; the block that stands for it becomes the block itself at the first look at one of its fields.
"""

from __future__ import annotations

import gc
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any

import libcst as cst

from ddplint.source.tree import OWN, children, holds, is_node

_SMALL = 600
"""Bytes of a body's pickle up to which it is part of the pickle around it."""
_LAYOUT = (cst.SimpleWhitespace, cst.Newline)

Numbers = dict[int, int]
"""The number of each function or lambda of a module that has been read, by the ``id`` of its node."""


@dataclass(slots=True)
class _Unread:
    """What an unread body holds: its pickle, the number of functions in it, that of the first, whether it yields."""

    data: bytes
    count: int
    yields: bool
    numbers: Numbers
    first: int = 0


def dumped(module: cst.Module) -> bytes:
    """The module as it is kept. Raises ``RecursionError`` and ``PicklingError``."""
    return _dumped(module)[0]


def loaded(data: bytes) -> tuple[cst.Module, Numbers]:
    """The module, and the numbers of its functions. Raises ``UnpicklingError`` for what holds anything but nodes."""
    numbers: Numbers = {}
    found = _loaded(data, numbers, 0)
    if type(found) is not cst.Module:
        raise pickle.UnpicklingError("no module")
    return found, numbers


# -- reading ---------------------------------------------------------------------------------------------------------


def _loaded(data: bytes, numbers: Numbers, first: int) -> Any:
    collects = gc.isenabled()
    gc.disable()
    try:
        node, functions = _Nodes(data, numbers).load()
    finally:
        if collects:
            gc.enable()
    for one in functions:
        if type(one) is _UnreadBlock:
            unread = _held(one)
            unread.first = first
            first += unread.count
        else:
            numbers[id(one)] = first
            first += 1
    return node


class _Nodes(pickle.Unpickler):
    """Makes nodes of LibCST, and nothing else."""

    def __init__(self, data: bytes, numbers: Numbers) -> None:
        super().__init__(io.BytesIO(data))
        self._numbers = numbers

    def find_class(self, module: str, name: str) -> Any:
        """What makes a node. Raises ``UnpicklingError`` for any other name."""
        if name in _MAKERS:
            return _MAKERS[name]
        if module == __name__ and name == "_unread":
            return self._unread
        if module == "libcst._maybe_sentinel" and name == "MaybeSentinel":
            return cst.MaybeSentinel
        found = getattr(cst, name, None) if module.startswith("libcst._nodes.") else None
        if not isinstance(found, type) or not issubclass(found, cst.CSTNode):
            raise pickle.UnpicklingError(f"{module}.{name} is no node")
        _MAKERS[name] = _maker(found)
        return _MAKERS[name]

    def _unread(self, data: object, count: object, yields: object) -> _UnreadBlock:
        if type(data) is not bytes or type(count) is not int or type(yields) is not bool:
            raise pickle.UnpicklingError("no body")
        return _unread(data, count, yields, self._numbers)


_MAKERS: dict[str, Callable[..., cst.CSTNode]] = {}
"""What makes nodes, by the names of their classes."""


def _maker(kind: type[cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    """Makes a node of the values of its fields, in a fraction of the time that its class takes for that."""
    new, puts = object.__new__, [getattr(kind, item.name).__set__ for item in fields(kind)]

    def make(*values: object) -> cst.CSTNode:
        node = new(kind)
        for put, value in zip(puts, values, strict=True):
            put(node, value)
        return node

    return make


def _field(name: str) -> property:
    """A field whose first look reads the body."""

    def look(block: cst.IndentedBlock) -> Any:
        if type(block) is _UnreadBlock:
            _read(block)
        return getattr(block, name)

    return property(look)


class _UnreadBlock(cst.IndentedBlock):
    """A body that nobody has looked at. It becomes an ordinary block, and stays the same object."""

    __slots__ = ()  # type: ignore[misc]


for _item in fields(cst.IndentedBlock):
    setattr(_UnreadBlock, _item.name, _field(_item.name))
_UnreadBlock.__name__ = "IndentedBlock"  # visitors go by the name
_BODY: Any = cst.IndentedBlock.__dict__["body"]


def _unread(data: bytes, count: int, yields: bool, numbers: Numbers | None = None) -> _UnreadBlock:
    block = object.__new__(_UnreadBlock)
    _BODY.__set__(block, _Unread(data, count, yields, {} if numbers is None else numbers))
    return block


def body_yields(node: cst.FunctionDef) -> bool | None:
    """Whether the body of a function itself yields; ``None`` where that was not kept, or the body has been read."""
    return _held(node.body).yields if type(node.body) is _UnreadBlock else None


def may_hold(node: cst.FunctionDef, kind: type[cst.CSTNode]) -> bool:
    """Whether the body of a function may hold nodes of a class; a body that was not read is not read for it."""
    return type(node.body) is not _UnreadBlock or kind.__name__.encode() in _held(node.body).data


def _held(block: _UnreadBlock) -> _Unread:
    held: _Unread = _BODY.__get__(block)
    return held


def _read(block: cst.IndentedBlock) -> None:
    held: _Unread = _BODY.__get__(block)
    read = _loaded(held.data, held.numbers, held.first)
    if type(read) is not cst.IndentedBlock:
        raise pickle.UnpicklingError("no body")
    object.__setattr__(block, "__class__", cst.IndentedBlock)
    for item in fields(cst.IndentedBlock):
        object.__setattr__(block, item.name, getattr(read, item.name))


# -- writing ---------------------------------------------------------------------------------------------------------


def _dumped(top: cst.CSTNode) -> tuple[bytes, int]:
    """The pickle of a module or body, and how many functions are in it."""
    functions: list[cst.CSTNode] = []
    unread: dict[int, tuple[bytes, int, bool]] = {}
    count, stack = 0, [top]
    while stack:
        node = stack.pop()
        if id(node) in unread:
            functions.append(node)
            count += unread[id(node)][1]
            continue
        if type(node) is cst.FunctionDef or type(node) is cst.Lambda:
            functions.append(node)
            count += 1
        if type(node) is cst.FunctionDef and type(node.body) is cst.IndentedBlock:
            body = _dumped(node.body)
            if len(body[0]) > _SMALL:
                unread[id(node.body)] = *body, holds(node.body, cst.Yield, OWN)
        stack += children(node)
    out = io.BytesIO()
    _Pickler(out, unread).dump((top, functions))
    return out.getvalue(), count


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, unread: dict[int, tuple[bytes, int, bool]]) -> None:
        super().__init__(out, 5)
        self._unread = unread
        self._layout: dict[tuple[type, object], cst.CSTNode] = {}

    def reducer_override(self, value: Any) -> Any:
        """How a node is made again. Blanks and line ends that are alike become one."""
        if id(value) in self._unread:
            return _unread, self._unread[id(value)]
        kind: Any = type(value)
        if not is_node[kind]:
            return NotImplemented
        return kind, tuple([self._once(item) for item in _values(kind)(value)])

    def _once(self, value: Any) -> Any:
        if type(value) in _LAYOUT:
            return self._layout.setdefault((type(value), value.value), value)
        return value


@cache
def _values(kind: type[cst.CSTNode]) -> Callable[[Any], tuple[Any, ...]]:
    names = [item.name for item in fields(kind)]
    if len(names) == 1:
        return lambda node: (getattr(node, names[0]),)
    return attrgetter(*names) if names else lambda node: ()
