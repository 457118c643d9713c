"""What a scatter leaves behind: each rank's piece of what one of them has sent."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain import arguments
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import Container, PerRank, Tuple, Unknown, Value
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
