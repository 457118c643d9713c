"""Questions whether a rank's own batch has something: ``"sound" in batch``, ``batch.get("sound") is not None``."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.analysis.domain import provenance
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.term import In, Is, Method, Symbol, Truth
from ddplint.analysis.domain.values import Const
from ddplint.analysis.trace.events import Event, Walk


def asks_for_fields(walk: Walk, event: Event) -> Iterator[tuple[Symbol, bool]]:
    """The questions on the way to an event that a batch answers, with the answers, where each rank has its own."""
    if walk.doing(Effect.SAMPLER) or any(made.details.get("parted") for made in walk.doing(Effect.LOADER)):
        yield from ((what, answer) for what, answer in event.path.items() if _asks_a_batch(what))


def _asks_a_batch(what: object) -> bool:
    if isinstance(what, In):
        return _is_batch(what.where)
    if isinstance(what, Is):
        return what.against == Const(None) and _is_asked_of_a_batch(what.what)
    return isinstance(what, Truth) and _is_asked_of_a_batch(what.of)


def _is_asked_of_a_batch(what: object) -> bool:
    return isinstance(what, Method) and what.name == "get" and _is_batch(what.receiver)


def _is_batch(what: object) -> bool:
    return isinstance(what, Symbol) and provenance.is_sample(what)
