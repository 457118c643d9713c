"""Containers that the forward pass of a wrapped model returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ddplint.analysis.domain.values import NONE, Const, Container, Tuple, Value, Varying, Wrapped
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.contents import ways
from ddplint.analysis.memory.protocol import Interp


def are_tagged(w: Interp, result: Container, model: Wrapped, tag: Callable[[Value | None], Value]) -> bool:
    """Whether it is known what a container holds, or why ranks have unequally much; its elements are tagged then."""
    content = w.state.read((result.id, "")) or NONE
    for key in ways.keys_of(content) if result.kind == "dict" else ():
        w.state.write((result.id, f"[{key.value!r}]"), tag(containers.stored_item(w, result, key)))
    cause = filling.own_length(w, result)
    if isinstance(content, Tuple):
        tagged = (_entry(one, tag) if result.kind == "dict" else tag(one) for one in content.items)
        w.state.write((result.id, ""), Tuple(tuple(tagged)))
    elif cause is not None and isinstance(content, Varying):
        w.state.write((result.id, ""), replace(content, source=model))
    return isinstance(content, Tuple) or cause is not None


def _entry(entry: Value, tag: Callable[[Value | None], Value]) -> Value:
    """An entry of a dictionary: a key that has its value elsewhere, or a key with its value."""
    if isinstance(entry, Const) or not isinstance(entry, Tuple):
        return entry
    return Tuple((entry.items[0], tag(entry.items[1])))
