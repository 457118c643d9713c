"""Members of a list of modules that a forward pass takes by numbers which it has found in each rank's own data."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Effect, Event, Frame, Unknown, Varying, Walk, terms
from ddplint_rules.sharding._helpers.uses import is_trained, kind_of, uses_by_part


def picked_members(walk: Walk, reported: set[int]) -> Iterator[tuple[Frame, str]]:
    """Where members are called that other ranks may leave out, and what the model is behind; once a place.

    Parameters: ``reported``, the nodes (by ``id``) of findings so far.
    """
    if walk.cut or not any(walk.doing(Effect.BACKWARD, Effect.FRAMEWORK_BACKWARD)):
        return
    for (_, part), uses in uses_by_part(walk).items():
        model, first = uses[0].details["wrapped"], uses[0]
        frame = first.stack[min(first.details["depth"], len(first.stack) - 1)]
        if model is None or id(frame.node) in reported or not all(map(_is_picked, uses)):
            continue
        kind = kind_of(model, walk, part)
        if kind and is_trained(walk, uses, kind):
            reported.add(id(frame.node))
            yield frame, kind


def _is_picked(use: Event) -> bool:
    """Whether what is called is the member whose number a loop has taken out of what its rank's data has in it."""
    what = use.receiver.symbol.whole if isinstance(use.receiver, (Unknown, Varying)) else None
    if not isinstance(what, terms.Item) or not _is_an_element(what.index):
        return False
    inner = [loop for loop in use.loops if loop.depth > use.details["depth"]]
    return bool(inner) and _is_of_own_data(inner[-1].source)


def _is_an_element(index: object) -> bool:
    """Whether a number is what a loop takes out of something, as it is or as a whole number."""
    if isinstance(index, terms.Call) and index.name == "int":
        return any(isinstance(arg, terms.Fresh) for arg in index.args)
    return isinstance(index, terms.Fresh)


def _is_of_own_data(source: object) -> bool:
    return isinstance(source, Varying) and isinstance(source.symbol.whole, terms.Selected)
