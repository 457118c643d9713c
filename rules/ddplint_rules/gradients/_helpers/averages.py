"""What may make gradients or weights alike: one test for all rules that say of a program that it does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ddplint.rule import (
    Const,
    Effect,
    Either,
    Event,
    External,
    Group,
    Instance,
    Object,
    Reason,
    Symbol,
    Tuple,
    Unknown,
    Value,
    Varying,
    Walk,
    Wrapped,
    terms,
)
from ddplint.rule.facts import BACKWARD, uniformity
from ddplint.rule.knowledge import load_knowledge

_DEPTH = 24
_CUTS = frozenset({"detach", "item", "tolist", "argmax", "data"})
"""Methods and attributes behind which there are no gradients."""
_NUMBERS = frozenset({"argmax", "item", "numel", "size"})
_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})
_OF_WEIGHTS = frozenset({"data", "grad"})
_OF_NO_MODEL = frozenset({Reason.RANDOM, Reason.IDENTITY, Reason.CLOCK})


def losses_of(walk: Walk) -> frozenset[Symbol]:
    """What is differentiated in a walk: numbers that ranks may well bring together, to print them."""
    losses = [event.receiver for event in walk.doing(Effect.BACKWARD)]
    by_library = (event for event in walk.doing(Effect.COLLECTIVE) if event.name == BACKWARD)
    losses += [event.argument("loss", 0) for event in by_library]
    return frozenset(one.symbol for one in losses if isinstance(one, (Unknown, Varying)))


def may_average(event: Event, losses: frozenset[Symbol]) -> bool:
    """Whether what ranks exchange, or what nobody could follow, may make gradients or weights alike."""
    if event.effect == Effect.OPAQUE:
        given = (one for value in (*event.args, event.receiver) for one in made_of(value))
        return any(isinstance(one, (Object, Wrapped)) or is_module(one) for one in given)
    return event.effect == Effect.COLLECTIVE and may_hold_weights(event, losses)


def is_module(value: Value) -> bool:
    """Whether it is an object of a class of the project that is a module of torch."""
    bases: list[Value] = list(value.cls.bases) if isinstance(value, Instance) else []
    while bases:
        base = bases.pop()
        if isinstance(base, External) and base.name in load_knowledge().quiet("module_bases"):
            return True
        bases += getattr(base, "bases", ())
    return False


def may_hold_weights(event: Event, losses: frozenset[Symbol]) -> bool:
    """Whether what ranks exchange may be weights or gradients.

    Or features, through which gradients may go. It is none of these where it says nothing, and where it is worked out
    of losses, or of comparisons of what a model gives.
    """
    return says_something(event) and not all(_is_measured(one, losses, _DEPTH) for one in _exchanged(event))


def says_something(event: Event) -> bool:
    """Whether ranks may learn from what they exchange: not what all know, nor what is drawn by chance.

    Nor anything of calls of which a table says so (a barrier, the norm by which gradients are cut).
    """
    if event.name in load_knowledge().quiet("without_weights"):
        return False
    return not all(map(_is_of_no_model, _exchanged(event)))


def _exchanged(event: Event) -> list[object]:
    """What a call is given, but names and groups: of a list what is in it, and what fills it."""
    content = event.details.get("content")
    first = content if isinstance(content, tuple) else event.args[:1]
    own = () if first and isinstance(event.receiver, Object) else (event.receiver,)  # what speaks for a program
    given = (*first, *own, *event.args[1:2], *event.kwargs.values())
    return [one for one in given if one is not None and not isinstance(one, (External, Group))]


def _is_of_no_model(value: object) -> bool:
    if isinstance(value, Tuple):
        return all(map(_is_of_no_model, value.items))
    return isinstance(value, Const) or (isinstance(value, Varying) and value.reason in _OF_NO_MODEL)


def _is_measured(value: object, losses: frozenset[Symbol], depth: int) -> bool:
    """Whether a value is surely worked out of samples, losses, numbers, comparisons, and chance."""
    if depth == 0:
        return False
    if isinstance(value, Tuple):
        return _are_measured(value.items, losses, depth)
    if isinstance(value, Either):
        return _are_measured((value.yes, value.no), losses, depth)
    if isinstance(value, (Unknown, Varying)):
        return _is_of_no_model(value) or _is_measured(value.symbol, losses, depth - 1)
    if isinstance(value, Symbol):
        return value in losses or _comes_of_samples(value, losses, depth)
    return isinstance(value, (Const, str, int, float)) or value is None


def _are_measured(values: Iterable[object], losses: frozenset[Symbol], depth: int) -> bool:
    return all(_is_measured(one, losses, depth - 1) for one in values)


@lru_cache(maxsize=4096)
def _comes_of_samples(symbol: Symbol, losses: frozenset[Symbol], depth: int) -> bool:
    what = symbol.whole
    if isinstance(what, terms.Fresh):
        return what.is_fresh("batch")
    if isinstance(what, (terms.Len, terms.Not)) or (isinstance(what, terms.Operation) and what.sign in _COMPARED):
        return True
    if isinstance(what, terms.Method):
        return what.name in _NUMBERS or _are_measured((what.receiver, *what.args), losses, depth)
    if isinstance(what, terms.Attr):
        return what.name not in _OF_WEIGHTS and _is_measured(what.base, losses, depth)
    if isinstance(what, terms.Operation):
        return _are_measured(what.operands, losses, depth)
    if isinstance(what, terms.Call):
        return _are_measured(what.args, losses, depth)
    return isinstance(what, (terms.Item, terms.Part, terms.Slice)) and _is_measured(what.base, losses, depth)


def made_of(value: object) -> Iterator[Value]:
    """What a value is computed from, as far as gradients go back."""
    waiting, seen = [(value, _DEPTH)], set[Symbol]()
    while waiting:
        one, left = waiting.pop()
        parts: tuple[object, ...] = ()
        if isinstance(one, Symbol):
            if one not in seen and not _cuts(one):
                seen.add(one)
                parts = tuple(one.whole.parts)
        elif isinstance(one, Value):
            yield one
            parts = _parts(one)
        waiting += [(part, left - 1) for part in parts if left]


def _cuts(what: Symbol) -> bool:
    return what.whole.head in ("attr", "method") and getattr(what.whole, "name", "") in _CUTS


def _parts(value: Value) -> tuple[object, ...]:
    if isinstance(value, (Unknown, Varying)):
        return (value.symbol,)
    return () if isinstance(value, Object) else uniformity.inner(value)
