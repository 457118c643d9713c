"""Calls: their arguments, groups and handles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import is_

import libcst as cst

from ddplint.analysis.domain.effects import MEETS
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.term import Applied, Joined
from ddplint.analysis.domain.values import Const, Unknown, Value
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.fixing.code.site import Site
from ddplint.source.ancestry import descend
from ddplint.source.calls import argument, calls_in, last_part, plain_arguments
from ddplint.source.words import words_in

INIT = "torch.distributed.init_process_group"

BACKWARD = "accelerate.Accelerator.backward"
"""The method of a library that runs a backward pass."""


def is_made_by_one_of_several(value: Value) -> bool:
    """Whether a value is what one of several things gave, and nobody knows which: a wrapped model may be among them."""
    made = value.symbol.whole if isinstance(value, Unknown) else None
    callee = made.callee if isinstance(made, Applied) else None
    return isinstance(callee, Symbol) and isinstance(callee.whole, Joined)


@dataclass(frozen=True, eq=False)
class GroupCall:
    """A call in the file that is checked: the qualified ``name`` of what it calls, the times the walk came by."""

    site: Site
    node: cst.Call
    name: str
    events: tuple[Event, ...] = ()


def calls_of(walks: Sequence[Walk], names: Iterable[str]) -> Iterator[GroupCall]:
    """The calls of these functions in the file of the walks, in program order.

    What the walk saw counts, and what a plain look at the imports shows: a call behind ``if not is_initialized():`` is
    never walked, for a walk takes the group to exist.
    """
    names = frozenset(names)
    file = walks[0].file
    seen: dict[int, list[Event]] = {}
    for walk in walks:
        for event in walk.events:
            if event.file is file and event.name in names and event.call is not None:
                seen.setdefault(id(event.node), []).append(event)
    if not seen and not any(last_name(name) in file.text for name in names):
        return
    site = Site(file, file.module)
    short = frozenset(map(last_name, names))
    for node in descend(file.module):
        if type(node) is not cst.Call:
            continue
        events = tuple(seen.get(id(node), ()))
        if events:
            yield GroupCall(site.moved(node), node, events[0].name, events)
        elif last_part(node.func) in short:
            row = site.moved(node).known(node.func)
            if row is not None and row.name in names:
                yield GroupCall(site.moved(node), node, row.name)


def last_name(name: str) -> str:
    """The last part of a dotted name."""
    return name.rpartition(".")[2]


def is_number(site: Site, node: cst.BaseExpression, seen: Sequence[Value] = (), depth: int = 4) -> type | None:
    """``int`` or ``float`` where an expression is certainly such a number, else ``None``.

    Parameters: ``seen``, what the walk saw there.
    """
    kinds = {type(value.value) if isinstance(value, Const) else None for value in seen}
    if kinds and kinds <= {int, float}:
        return float if float in kinds else int
    if isinstance(node, cst.Integer):
        return int
    if isinstance(node, cst.Float):
        return float
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return is_number(site, node.expression, (), depth)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.Multiply, cst.Add, cst.Subtract)):
        sides = {is_number(site, node.left, (), depth), is_number(site, node.right, (), depth)}
        return None if None in sides else float if float in sides else int
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("int", "float"):
        bound = site.scopes.lookup(node.func.value, site.here(node))
        return None if bound is not None else int if node.func.value == "int" else float
    if isinstance(node, cst.Attribute):
        return _parsed(site, node)
    if isinstance(node, cst.Name) and depth:
        kinds = {is_number(site, value, (), depth - 1) for value in site.values_of(node)}
        return kinds.pop() if len(kinds) == 1 else None
    return None


def _parsed(site: Site, node: cst.Attribute) -> type | None:
    """The type of ``args.timeout`` where the file's own parser has ``--timeout`` with ``type=int``."""
    kinds: set[str] = set()
    for step in calls_in(site.module):
        if last_part(step.func) == "add_argument" and node.attr.value in _destinations(step):
            kind = argument(step, "type", None)
            kinds.add(kind.value if isinstance(kind, cst.Name) else "")
    return {"int": int, "float": float}.get(kinds.pop()) if len(kinds) == 1 else None


def _destinations(call: cst.Call) -> set[str]:
    flags = plain_arguments(call)
    texts = [flag.raw_value for flag in flags if isinstance(flag, cst.SimpleString)]
    dest = argument(call, "dest", None)
    if isinstance(dest, cst.SimpleString):
        return {dest.raw_value}
    return {text.lstrip("-").replace("-", "_") for text in texts}


def name_words(node: cst.CSTNode) -> set[str]:
    """The words of all names and strings in an expression, in lower case."""
    words: set[str] = set()
    for step in descend(node):
        if isinstance(step, (cst.Name, cst.SimpleString)):
            text = step.value if isinstance(step, cst.Name) else step.raw_value
            words.update(text.lower().replace("-", "_").split("_"))
    return words


def place_and_caller(event: Event) -> tuple[int, int]:
    """What tells findings apart: where it happens, and the last call on the way there from another file.

    A helper that two calls of one file lead to is wrong at both, where the calls are reported.
    """
    outside = (frame for frame in reversed(event.stack) if frame.file is not event.file)
    caller = next(outside, None)
    return id(event.node), id(caller.node) if caller is not None else 0


def call_alone(walks: Iterable[Walk], event: Event) -> Frame | None:
    """The outermost call on the way to an event that leads to nothing which ranks do together.

    All of it may be left to one rank by one test around this call. Parameters: ``walks``, of which one has the event.
    """
    own = next((walk.events for walk in walks if any(one is event for one in walk.events)), [])
    together = [[frame.node for frame in other.stack] for other in own if other.effect in MEETS]
    way = [frame.node for frame in event.stack]
    for depth, frame in enumerate(event.stack[:-1], 1):
        if not any(len(other) > depth and all(map(is_, other[:depth], way)) for other in together):
            return frame
    return None


def is_dropped(event: Event) -> bool:
    """Whether the call is a statement of its own, outside a coalescing manager."""
    site = Site(event.file, event.node)
    return isinstance(site.tree.parent(event.node), cst.Expr) and not _coalesced(site)


def _coalesced(site: Site) -> bool:
    for step in site.tree.ancestors(site.node):
        said = (word for item in step.items for word in words_in(item.item)) if isinstance(step, cst.With) else ()
        if any("coalescing" in word for word in said):
            return True
    return False


def unread_name(event: Event) -> str:
    """The local variable that holds the call's value and that nothing reads; ``""`` if there is none such."""
    site = Site(event.file, event.node)
    statement = site.tree.parent(event.node)
    if (
        not isinstance(statement, cst.Assign)
        or len(statement.targets) != 1
        or site.function is None
        or _coalesced(site)
    ):
        return ""
    target = statement.targets[0].target
    if not isinstance(target, cst.Name):
        return ""
    for node in descend(site.function):
        if isinstance(node, (cst.Global, cst.Nonlocal)):
            return ""
        if isinstance(node, cst.Name) and node.value == target.value and not _is_target(site, node):
            return ""
    return target.value


def _is_target(site: Site, name: cst.Name) -> bool:
    holder = site.tree.parent(name)
    return isinstance(holder, cst.AssignTarget) or (isinstance(holder, cst.Attribute) and holder.attr is name)
