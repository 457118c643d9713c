"""What is used only where a rank's batch has a field: parts of a wrapped model, and models wrapped by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Effect, Event, Frame, Walk, Wrapped
from ddplint.rule.facts import asks_for_fields
from ddplint_rules.sharding._helpers.uses import is_trained, kind_of, uses_by_part


def used_by_field(walk: Walk, reported: set[int]) -> Iterator[tuple[Frame, str]]:
    """Where something is called that a batch without the field leaves out, and what it is behind; once a place.

    Parameters: ``reported``, the nodes (by ``id``) of findings so far.
    """
    if walk.cut or not any(walk.doing(Effect.BACKWARD, Effect.FRAMEWORK_BACKWARD, Effect.FORWARD)):
        return
    for frame, kind in (*_parts(walk), *_models(walk)):
        if id(frame.node) not in reported:
            reported.add(id(frame.node))
            yield frame, kind


def _parts(walk: Walk) -> Iterator[tuple[Frame, str]]:
    """Parts of a model that its forward pass uses at one answer only."""
    forwards = {event.order: event for event in walk.doing(Effect.FORWARD)}
    for (number, part), uses in uses_by_part(walk).items():
        forward, first = forwards.get(number), uses[0]
        around = forward.path if forward is not None else {}
        asked = [one for one in asks_for_fields(walk, first) if one[0] not in around]
        if not any(all(use.path.get(what) is answer for use in uses) for what, answer in asked):
            continue
        model = first.details["wrapped"]
        kind = kind_of(model, walk, part) if model is not None else ""
        if kind and is_trained(walk, uses, kind):
            yield first.stack[min(first.details["depth"], len(first.stack) - 1)], kind


def _models(walk: Walk) -> Iterator[tuple[Frame, str]]:
    """Models that are wrapped by themselves, of which one is left out at one answer, while another is called."""
    passes = [event for event in walk.doing(Effect.FORWARD) if event.by_all and not event.details["no_grad"]]
    asked = [any(True for _ in asks_for_fields(walk, event)) for event in passes]
    for event in (one for one, asks in zip(passes, asked, strict=True) if asks and _wrapped(one) is not None):
        around = [(one, asks) for one, asks in zip(passes, asked, strict=True) if one.loops[-1:] == event.loops[-1:]]
        mine = [asks for one, asks in around if _wrapped(one) == _wrapped(event)]
        others = [asks for one, asks in around if _wrapped(one) not in (None, _wrapped(event))]
        if all(mine) and not all(others):
            yield event.stack[-1], "model"


def _wrapped(event: Event) -> Wrapped | None:
    return event.model_behind("ddp", "fsdp", "fully_shard")
