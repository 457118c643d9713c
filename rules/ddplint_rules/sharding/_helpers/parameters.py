"""Whose parameters a value holds, and which models keep only a part of theirs on each rank."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Const,
    Either,
    External,
    Instance,
    Object,
    Symbol,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.rule.knowledge import begins

_STRATEGY = "sharding_strategy"
_WHOLE = ".NO_SHARD"
_DEPTH = 12


def models(value: object, depth: int = _DEPTH) -> Iterator[Value]:
    """The modules that a value was made of: the model behind ``list(model.parameters())``, and each of a choice."""
    if isinstance(value, (Instance, Wrapped)) or (isinstance(value, Object) and begins("layers", value.name)):
        yield value
    for part in _parts(value) if depth else ():
        yield from models(part, depth - 1)


def _parts(value: object) -> tuple[object, ...]:
    if isinstance(value, (Unknown, Varying)):
        return (value.symbol,)
    if isinstance(value, Symbol):
        return tuple(value.whole.parts)
    if isinstance(value, Either):
        return value.yes, value.no
    if isinstance(value, Object) and not begins("layers", value.name):
        return value.args
    return value.items if isinstance(value, Tuple) else ()


def flat(value: object) -> Iterator[Wrapped]:
    """The models behind torch's first FSDP that keep a part of their parameters on each rank."""
    for model in models(value):
        if (
            isinstance(model, Wrapped)
            and (model.api.framework, model.api.wraps) == ("torch", "fsdp")
            and not _is_whole(model)
        ):
            yield model


def _is_whole(model: Wrapped) -> bool:
    """Whether every rank keeps all parameters of it."""
    said = dict(model.kwargs).get(_STRATEGY)
    return isinstance(said, External) and said.name.endswith(_WHOLE)


def is_known_to_shard(model: Wrapped) -> bool:
    """Whether the program says how its parameters are split, or leaves it at splitting them all."""
    given = dict(model.kwargs)
    return isinstance(given.get(_STRATEGY, Const(None)), (Const, External)) and "**" not in given
