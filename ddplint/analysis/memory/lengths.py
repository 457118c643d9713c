"""Lists that some ranks have more in than others, behind what all of them have: loops go over that part together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.values import Either, PerRank, Tuple, Unknown, Value
from ddplint.source.tree import children

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_INNER = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.ClassDef)


def half_known(content: Value) -> bool:
    """Whether some rank's elements are known while nobody knows which of them another has."""
    if isinstance(content, Either):
        return half_known(content.yes) or half_known(content.no)
    known = list(_contents(content)) if isinstance(content, PerRank) else []
    return any(isinstance(one, Unknown) for one in known) and any(isinstance(one, Tuple) and one.items for one in known)


def common(content: Value, loop: cst.For) -> tuple[Value, ...]:
    """The elements that all ranks have first, on every path; none where the loop may be left before its end."""
    first: tuple[Value, ...] | None = None
    for one in _contents(content):
        if not isinstance(one, Tuple):
            return ()
        if first is None:
            first = one.items
            continue
        alike = [a == b for a, b in zip(first, one.items, strict=False)]
        first = first[: alike.index(False) if False in alike else len(alike)]
    return first if first and loop.orelse is None and not _is_left(loop.body) else ()


def behind(content: Value, shared: Sequence[Value]) -> list[Value]:
    """What a list of that content has behind its first elements, of which ``common`` told."""
    return list(content.items[len(shared) :]) if isinstance(content, Tuple) else []


def _contents(content: Value) -> Iterator[Value]:
    for one in alternatives(content):
        if isinstance(one, PerRank):
            for value in one.values:
                yield from _contents(value)
        else:
            yield one


def _is_left(node: cst.CSTNode) -> bool:
    """Whether a loop's body has a ``break`` of its own, or a ``return``."""
    if isinstance(node, (cst.Break, cst.Return)):
        return True
    return any(_is_left(child) if not isinstance(child, _INNER) else _returns(child) for child in children(node))


def _returns(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
        return False
    return isinstance(node, cst.Return) or any(_returns(child) for child in children(node))
