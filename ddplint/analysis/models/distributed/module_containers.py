"""``nn.ModuleList``, ``nn.ModuleDict`` and ``nn.Sequential``: members in a list or dictionary of their own."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Const, Container, Instance, Object, Value
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.contents import members
from ddplint.analysis.memory.contents.members import Members
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.distributed import drawn_members, parts
from ddplint.analysis.models.python import container_methods, iteration

_LIST, _DICT, SEQUENCE = "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.Sequential"

_CHAINED = frozenset({"append", "extend", "insert"})
"""Methods that give the container itself."""


def module_list(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return _made(w, _LIST, args, kwargs, iteration.collection("list")(w, args, {}, node), node)


def module_dict(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return _made(w, _DICT, args, kwargs, iteration.collection("dict")(w, args, {}, node), node)


def sequential(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """Made of modules, or of an ordered dictionary of them."""
    named = containers.pairs_of(w, args[0]) if len(args) == 1 else None
    given = args if named is None else [pair.items[1] for pair in named]  # type: ignore[attr-defined]
    return _made(w, SEQUENCE, args, kwargs, w.container("list", None if "*" in kwargs else list(given)), node)


def _made(w: Interp, name: str, args: Args, kwargs: Kwargs, held: Value | None, node: cst.CSTNode) -> Value:
    made = w.external_object(name, args, kwargs, node)
    if isinstance(held, Container):
        w.record(Members).held[made.id] = held
        drawn_members.note_made(w, held, drawn_members.alike(w, args))
    return made


def method(w: Interp, receiver: Value, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """A method that such a container has of lists or dictionaries; None for all others."""
    held = w.record(Members).held.get(receiver.id) if isinstance(receiver, Object) else None
    handler = container_methods.method_of(held, name) if held is not None else None
    if held is None or handler is None:
        return None
    found = handler(w, held, args, kwargs, node)
    if name in _CHAINED and isinstance(receiver, Object):
        for new in args:
            parts.put(w, receiver, new, node, added=True)
    return receiver if name in _CHAINED else found


def member(w: Interp, receiver: Object, name: str) -> Value | None:
    """A member of a dictionary of modules, asked for as an attribute."""
    return containers.stored_item(w, members.inside(w, receiver), Const(name))


def is_passed_through(w: Interp, function: Value, args: Args) -> bool:
    """Whether a call of a module is walked as those of its members: what is used is said by them."""
    return isinstance(function, Object) and len(args) == 1 and _passed(w, function) is not None


def call(w: Interp, receiver: Object, args: Args, node: cst.CSTNode) -> Value | None:
    """``sequence(x)``: each member is called with what the one before it gave; None where that is not worth a walk.

    Where nobody meets in them, the first of each class stands for the others.
    """
    items = _passed(w, receiver) if len(args) == 1 else None
    if items is None:
        return None
    value, walked = args[0], set[Value]()
    for member in items:
        cls = member.cls if isinstance(member, Instance) and not members.speaks(w, receiver) else None
        if cls in walked:
            parts.asked(w, member, "forward", node)  # as the one before it
            continue
        value = w.semantics.call_value(w, member, [value], {}, node)
        walked |= {cls} if cls is not None else set()
    return value


def _passed(w: Interp, receiver: Object) -> list[Value] | None:
    """The members that a call of a sequence calls one after the other, if that is worth a walk.

    In a forward pass of a wrapped model those of the project are: they decide which of their own parts they use.
    """
    if receiver.name != SEQUENCE:
        return None
    items = containers.items_of(w, members.held(w, receiver))
    if members.speaks(w, receiver):
        return items
    if items is None:
        sample = drawn_members.sample(w, receiver)
        items = [] if sample is None else [sample]
    return items if parts.is_passing(w) and any(isinstance(one, Instance) for one in items) else None
