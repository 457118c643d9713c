"""Whether the process group is there already: not yet for the code that makes it.

``if not dist.is_initialized(): dist.init_process_group("nccl")`` asks whether somebody else has made the group. Until
the walk has reached a call that does, nobody has, for a function that goes on to make it, itself or in a function of
the project that it calls. Everywhere else the group is taken to be there: the program is one of several processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.values import FALSE, TRUE, UNBOUND, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.project.modules import Module
from ddplint.source.tree import OWN, children, dotted, functions

_MADE = (0, "process group made")


@dataclass(slots=True)
class Makers(Record):
    """Whether code that asks for the process group makes it itself, by its node."""

    life = Life.FILE
    known: dict[int, bool] = field(default_factory=dict)


def note_made(w: Interp) -> None:
    """Note that the walk has reached a call that makes the process group."""
    w.state.write(_MADE, TRUE)


def is_made(w: Interp) -> Value:
    """What ``is_initialized()`` says where the walk is."""
    if w.state.read(_MADE) not in (None, UNBOUND):
        return TRUE
    callee, module = w.frame.callee, w.frame.module
    asks = callee.node if callee is not None else module.tree()
    if asks is None:
        return TRUE
    known = w.record(Makers).known.get(id(asks))
    if known is None:
        known = w.record(Makers).known[id(asks)] = _makes(w, asks, module)
    return FALSE if known else TRUE


def _makes(w: Interp, asks: cst.CSTNode, module: Module) -> bool:
    """Whether some code calls what makes the group, or a function of the project that does."""
    names = w.project.index.unit(module.file).origins
    called = set(_called(asks))
    if any(_is_maker(w, one, names) for one in called):
        return True
    helpers = (found for one in sorted(called) if (found := _helper(w, module, one)) is not None)
    return any(
        _is_maker(w, one, w.project.index.unit(home.file).origins) for node, home in helpers for one in _called(node)
    )


def _helper(w: Interp, module: Module, called: str, depth: int = 3) -> tuple[cst.CSTNode, Module] | None:
    """The function of the project that a dotted name calls in a module, with its own module; None where unknown."""
    head, _, rest = called.partition(".")
    name = rest if head in ("self", "cls") else called
    speaks = "." not in name and w.project.index.communicates(module.file)
    tree = module.tree() if speaks else None
    if tree is not None:
        node = next((one for one in functions(tree) if _name_of(one) == name), None)
        if node is not None:
            return node, module
    origin = w.project.index.unit(module.file).origins.get(head)
    if origin is None or not depth:
        return None
    whole = w.project.full_name(f"{origin}.{rest}" if rest else origin, module)
    path, _, last = whole.rpartition(".")
    home = w.project.find(path, module)
    return None if home is None else _helper(w, home, last, depth - 1)


def _name_of(function: cst.FunctionDef | cst.Lambda) -> str:
    return function.name.value if isinstance(function, cst.FunctionDef) else ""


def _is_maker(w: Interp, called: str, names: Mapping[str, str]) -> bool:
    head, _, rest = called.partition(".")
    row = w.knowledge.lookup(f"{names.get(head, head)}.{rest}" if rest else names.get(head, head))
    return row is not None and row.kind == "init" and row.form == "function"


def _called(code: cst.CSTNode) -> Iterator[str]:
    """The dotted names of what code calls itself, not in functions inside of it."""
    stack = [code.body] if isinstance(code, (cst.FunctionDef, cst.Lambda)) else [code]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Call) and (name := dotted(node.func)):
            yield name
        if type(node) not in OWN or node is code:
            stack += children(node)
