"""Containers that ranks fill differently: because of who they are, or as each one's data says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.simulate.facts import Reason
from ddplint.simulate.values import FALSE, TRUE, Container, Tuple, Unknown, Value, Varying, by_rank_in, varying_in

if TYPE_CHECKING:
    from ddplint.simulate.walker import Walker


def by_rank(w: Walker, value: Value) -> tuple[Value, ...]:
    """The content of a container that ranks filled differently, to be lifted over; empty for all others."""
    content = w.state.read((value.id, "")) if isinstance(value, Container) else None
    return (content,) if content is not None and by_rank_in(content) else ()


def asked(w: Walker, value: Container, node: cst.CSTNode) -> Value:
    """What a test for emptiness asks: the container itself where nothing says that ranks may see different answers."""
    content = w.state.read((value.id, ""))
    local = varying_in(content) if content is not None else None
    if content is None or not (by_rank_in(content) or (local is not None and local.reason is Reason.LENGTH)):
        return value

    def answer(part: Value) -> Value:
        if isinstance(part, Tuple):
            return TRUE if part.items else FALSE
        return part if isinstance(part, Varying) else Unknown(w.truth_of_unknown(value))

    return w.lift(node, answer, content)
