"""What one rank has sent: each rank's piece of a scatter, and what the sender itself knows afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.analysis.domain import arguments
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import alternatives, project
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import WORLD_SIZE, Const, Container, PerRank, Tuple, Unknown, Value
from ddplint.analysis.interp import argument_update
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.source import calls

_SENT = ("scatter_list", "scatter_object_input_list")
_TAKEN = ("tensor", "scatter_object_output_list")


def received(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode, agreed: Unknown) -> None:
    """What was there before is gone; the pieces are one for all where the root is seen to send one thing to each.

    Nor is anything said of pieces that nobody sees: only of those that are seen to be several the old value stays.
    """
    sent, old = _given(args, kwargs, _SENT, 1), _given(args, kwargs, _TAKEN, 0)
    if old is None or not isinstance(node, cst.Call) or (w.state.mask == w.everyone and _are_several(w, sent)):
        return
    if isinstance(old, Container):
        w.state.write((old.id, ""), Tuple((Unknown(symbol("part", agreed.symbol, 0)),)))
        return
    target = next((one for name in _TAKEN if (one := calls.argument(node, name, 0)) is not None), None)
    argument_update.change(w, target, old, agreed)


def _given(args: Args, kwargs: Kwargs, names: tuple[str, ...], position: int) -> Value | None:
    found = (arguments.argument(args, kwargs, name, position) for name in names)
    return next((one for one in found if one is not None), None)


def _are_several(w: Interp, sent: Value | None) -> bool:
    """Whether some rank has a list of pieces that are not one and the same."""
    for one in _seen(sent):
        items = containers.items_of(w, one)
        if items is not None and any(item != items[0] for item in items[1:]):
            return True
    return False


def _seen(value: Value | None) -> Iterator[Value]:
    for one in value.values if isinstance(value, PerRank) else (value,):
        if one is not None:
            yield from alternatives(one)


def to_the_others(
    w: Interp, root: int | None, given: cst.CSTNode | None, sent: Sequence[Value], now: Sequence[Value]
) -> None:
    """Where the root sends in an arm of its own, its variables with what it sent are what the others receive in theirs.

    A constant may be in many variables: it is taken for the sent one only where the list that is sent names it.
    """
    if root is None or root not in range(WORLD_SIZE) or w.state.mask != 1 << root:
        return
    named = list(_named(given))
    held = [(name, project(value, root)) for name, value in w.state.held(w.frame.scope)]
    for at, (item, received) in enumerate(zip(sent, now, strict=True)):
        item = project(item, root)
        for name, value in held:
            is_meant = name == named[at] if isinstance(item, Const) and named else not isinstance(item, Const)
            if is_meant and value == item:
                w.state.write((w.frame.scope, name), received)


def _named(given: cst.CSTNode | None) -> Iterator[str]:
    """The variables in a list that is written out, in order; an empty name for anything else in it."""
    if isinstance(given, cst.List):
        yield from (one.value.value if isinstance(one.value, cst.Name) else "" for one in given.elements)
