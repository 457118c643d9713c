"""What hooks of a framework leave in their object for each other: ``self.x``, set in one and asked in another.

A framework calls the hooks of an object again and again. Where one is entered, another may have run before, and what it
left is each rank's own if it worked under a rank guard or on the rank's batch. Where the tables know the order of the
hooks of one pass, they run in it. Elsewhere attributes that some hook sets for all ranks alike are not looked at:
nobody knows which came last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    UNBOUND,
    Container,
    Function,
    Instance,
    Value,
    by_rank_in,
    varying_in,
)
from ddplint.analysis.memory import classes, numbers
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.openworld.programs import framework_hooks
from ddplint.analysis.openworld.values import initial_state
from ddplint.source.ancestry import descend

_Writes = dict["Location", Value]


@dataclass(slots=True)
class LeftByHooks(Record):
    """What each hook of an object has written when it ran once on the new object, by object and hook; the attributes
    that each method sets (``fields``)."""

    life = Life.FILE
    writes: dict[tuple[int, ...], _Writes] = field(default_factory=dict)
    fields: dict[int, frozenset[str]] = field(default_factory=dict)


def enter(w: Interp, instance: Instance, function: Function) -> None:
    """A hook is entered: what other hooks have left in the object is there, or not yet."""
    if framework_hooks.ranks_of(w, function) != "all":
        return
    methods = dict(_methods(w, instance))
    hooks = [one for one in methods.values() if framework_hooks.ranks_of(w, one) == "all"]
    for name in _fields(methods, function):
        setting = {key for key, one in methods.items() if name in _set_in(w, one)}
        writers = [hook for hook in hooks if setting & _reached(methods, hook)]
        if setting <= {key for hook in writers for key in _reached(methods, hook)}:
            turn = _in_turn(framework_hooks.turn_of(w, function), function, writers)
            if turn:
                _begin_with(w, (instance.id, name), _written(w, instance, *turn))
            else:
                _take_over(w, instance, name, [_written(w, instance, one) for one in writers])


def _in_turn(order: Sequence[str], function: Function, writers: list[Function]) -> list[Function]:
    """The writers of an attribute from one run of a hook to the next; empty where their order is not known."""
    if not order or any(hook.name not in order for hook in writers):
        return []
    begin = order.index(function.name)
    return sorted(writers, key=lambda hook: (order.index(hook.name) - begin) % len(order))


def _begin_with(w: Interp, attribute: Location, writes: _Writes) -> None:
    """Have an attribute hold what the hooks of a pass leave there, where that is something of each rank's own."""
    held = writes.get(attribute) or w.state.store.get(attribute) or UNBOUND
    where = (held.id, "") if isinstance(held, Container) else attribute
    left, base = writes.get(where), w.state.store.get(where) or UNBOUND
    if left is None or not _is_own(left):
        return
    if held is not left and attribute in writes:
        w.state.write(attribute, held)
    before = numbers.counted(base, left)
    w.state.write(where, before if base is UNBOUND else either(symbol("left by a hook", *where), before, base))


def _take_over(w: Interp, instance: Instance, name: str, written: list[_Writes]) -> None:
    """Have an attribute hold what hooks leave there: something of each rank's own, or what was there before."""
    attribute = where = (instance.id, name)
    base = w.state.store.get(where) or classes.find_in_class(w, instance.cls, name)[0] or UNBOUND
    if isinstance(base, Container):
        where = (base.id, "")
        base = w.state.store.get(where) or UNBOUND
    found = [_left_in(writes, attribute, where) for writes in written]
    left = [value for value in found if value is not None and value != base]
    if left and None not in found and all(map(_is_own, left)):
        w.state.write(where, either(symbol("left by a hook", instance, name), numbers.counted(base, left[0]), base))


def _left_in(writes: _Writes, attribute: Location, where: Location) -> Value | None:
    """What a hook leaves at a place: there, or in the container that the attribute holds from then on."""
    held = writes.get(attribute)
    if attribute != where and isinstance(held, Container):
        return writes.get((held.id, ""))
    return writes.get(where)


def _is_own(value: Value) -> bool:
    local = varying_in(value)
    return by_rank_in(value) or (local is not None and local.reason is not Reason.EXCEPTION)


def _methods(w: Interp, instance: Instance) -> Iterator[tuple[str, Function]]:
    """The methods of an object by their names, other than those that make it."""
    for cls in classes.lineage(w, instance.cls):
        for part in cls.node.body.body:
            if isinstance(part, cst.FunctionDef) and part.name.value not in initial_state.BEGINS:
                held, owner = classes.find_in_class(w, instance.cls, part.name.value)
                method = classes.plain(held) if held is not None and owner is cls else None
                if isinstance(method, Function):
                    yield part.name.value, method


def _reached(methods: Mapping[str, Function], function: Function) -> set[str]:
    """The names of a method and of those of its object that it asks for, and they in turn."""
    found: set[str] = set()
    waiting = [function.name]
    while waiting:
        name = waiting.pop()
        if name not in found and name in methods:
            found.add(name)
            waiting += _read(methods[name])
    return found


def _fields(methods: Mapping[str, Function], function: Function) -> list[str]:
    """The attributes that a method reads, itself or by way of others of its object."""
    read = (name for one in sorted(_reached(methods, function)) for name in _read(methods[one]))
    return [name for name in dict.fromkeys(read) if name not in methods]


def _read(method: Function) -> Iterator[str]:
    params = method.node.params.params
    for node in descend(method.node.body) if params else ():
        owner = node.value if isinstance(node, cst.Attribute) else None
        if isinstance(node, cst.Attribute) and isinstance(owner, cst.Name) and owner.value == params[0].name.value:
            yield node.attr.value


def _set_in(w: Interp, method: Function) -> frozenset[str]:
    known = w.record(LeftByHooks).fields
    if method.key not in known:
        known[method.key] = frozenset(
            initial_state.changed_by(method.node) if isinstance(method.node, cst.FunctionDef) else ()
        )
    return known[method.key]


def _written(w: Interp, instance: Instance, *hooks: Function) -> _Writes:
    """What hooks write that run on the object as it was made, one after the other; nothing of it is kept."""
    known = w.record(LeftByHooks).writes
    key = instance.id, *(hook.key for hook in hooks)
    if key not in known:
        known[key] = {}
        called = set(w.called)

        def run() -> None:
            for hook in hooks:
                w.semantics.call_value(w, hook, [instance], {}, hook.node)

        with w.saved(quiet=w.quiet + 1):
            arm = w.state.arm(EVERYONE, None, run)
        w.called.intersection_update(called)
        known[key] = arm.writes
    return known[key]
