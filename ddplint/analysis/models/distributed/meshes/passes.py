"""Which ranks meet in the passes of a wrapped model: those of the mesh, or of the group, that the wrapper was given."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.values import EVERYONE, NONE, Group, Value, Wrapped
from ddplint.analysis.memory import wrapping
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.trace.events import Event


def meet(w: Interp, model: Wrapped, event: Event, kind: str, node: cst.CSTNode) -> None:
    """The ranks of a model's group meet in a pass: each in its own group, or all of them."""
    group = wrapping.group_of(model)
    if group is None:
        w.operate(event, kind)
    else:
        w.split(group, node, GuardKind.CALL, lambda seen: _meet_in(w, seen, event, kind))


def _meet_in(w: Interp, group: Value, event: Event, kind: str) -> Value:
    """As one rank sees its group; one of which nothing is known is taken for that of all ranks."""
    if isinstance(group, Group) and group.members != EVERYONE:
        w.operate(event, kind, f"group {group.id}", group.members)
    else:
        w.operate(event, kind)
    return NONE
