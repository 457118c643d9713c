"""Lists of tuples: which parts of the tuples are each rank's own, and which are alike on all ranks.

``work.append((p, "shard", handle, piece))``: that ``piece`` is a rank's own says nothing of the text beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import EVERYONE, Container, Tuple, Unknown, Value, Varying, by_rank_in, varying_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ddplint.analysis.interp.interpreter import Walker

__all__ = ["appended", "element", "mixed"]


def appended(w: Walker, receiver: Container, content: Sequence[Value] | None, value: Value) -> None:
    """A value was put at the end of a list of that content."""
    if receiver.id not in w.columns:
        w.columns[receiver.id] = () if content is None else None
        for one in content or ():
            _add(w, receiver, one)
    _add(w, receiver, value)


def mixed(w: Walker, receiver: Container) -> None:
    """Something else was put into a list."""
    w.columns[receiver.id] = ()


def _add(w: Walker, receiver: Container, value: Value) -> None:
    """Each part is alike as long as all that were put there are; the empty tuple says that nothing is known."""
    known = w.columns[receiver.id]
    chosen = bool(w.locals) or w.state.mask != EVERYONE  # some ranks may put another one there
    if known == () or chosen or not isinstance(value, Tuple) or not value.items:
        w.columns[receiver.id] = ()
        return
    alike = tuple(varying_in(part) is None and not by_rank_in(part) for part in value.items)
    if known is not None:
        alike = tuple(a and b for a, b in zip(known, alike, strict=True)) if len(known) == len(alike) else ()
    w.columns[receiver.id] = alike


def element(w: Walker, source: Container, local: Varying) -> Value | None:
    """An element of a list with something rank-local in it, part by part; None where nothing is known of the parts."""
    alike = w.columns.get(source.id)
    if not alike or local.reason is Reason.LENGTH:
        return None
    return Tuple(
        tuple(
            Unknown(fresh("part")) if same else Varying(local.reason, fresh("element"), local.trail, local.source)
            for same in alike
        )
    )
