"""Which parts of a wrapped model a forward pass uses on some ranks only, as one condition says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Event, Frame, Guard, Object, Walk, Wrapped
from ddplint.rule.code import tree_of

__all__ = ["Lone", "lone_parts"]

_UNUSED = "find_unused_parameters"


@dataclass(frozen=True, eq=False)
class Lone:
    """A part of ``model`` that is used at ``anchor`` on the ranks that ``guard`` lets in, and nowhere else.

    ``kind`` says what the model is behind: ``ddp``, ``prepared`` (whatever was chosen at the launch), ``fsdp2``.
    """

    guard: Guard
    anchor: Frame
    kind: str


def lone_parts(walk: Walk) -> Iterator[Lone]:
    """What a forward pass with gradients uses on some ranks only, once for each condition."""
    if walk.cut or not any(_is_backward(event) for event in walk.events):
        return
    frozen = {part for event in walk.events if event.effect == Effect.FREEZE for part in event.details["parts"]}
    told = {id(one.guard.node) for one in walk.divergences}
    for uses in _by_part(walk):
        model = uses[0].details["wrapped"]
        kind = _kind(model, walk) if model is not None else ""
        if not kind or (kind != "fsdp2" and _part_of(uses) in frozen):
            continue
        guard = _parting(uses, walk)
        if guard is not None and id(guard.node) not in told:
            told.add(id(guard.node))
            yield Lone(guard, uses[0].stack[min(guard.depth, len(uses[0].stack)) - 1], kind)


def _is_backward(event: Event) -> bool:
    return event.effect in (Effect.BACKWARD, Effect.FRAMEWORK_BACKWARD) or (
        event.effect == Effect.COLLECTIVE and event.name.endswith(".backward")
    )


def _by_part(walk: Walk) -> Iterator[list[Event]]:
    """The uses of each part in each forward pass, in program order."""
    found: dict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in walk.events:
        if event.effect == Effect.PART:
            for part in event.details["parts"]:
                found[event.details["pass_number"], part].append(event)
    for uses in found.values():
        if any(not use.details["no_grad"] for use in uses):
            yield uses


def _part_of(uses: Sequence[Event]) -> int:
    """The number of the part that all of these uses have."""
    return int(min(frozenset.intersection(*(use.details["parts"] for use in uses))))


def _kind(model: Wrapped, walk: Walk) -> str:
    """What a model is behind, if leaving a part of it out on some ranks is a fault there; else nothing."""
    if model.api.name.endswith("DistributedDataParallel"):
        return "" if _looks_for_unused(model) else "ddp"
    if model.api.name.endswith("fully_shard"):
        return "fsdp2"
    if model.api.name.endswith("Accelerator.prepare") and not model.split:
        return "prepared" if _is_left_as_it_is(model, walk) else ""
    return ""


def _looks_for_unused(model: Wrapped) -> bool:
    """Whether the wrapper was asked to look for parameters that were left out, or may have been."""
    given = dict(model.kwargs)
    asked = given.get(_UNUSED, Const(False))
    return asked != Const(False) or "**" in given


def _is_left_as_it_is(model: Wrapped, walk: Walk) -> bool:
    """Whether an ``Accelerator`` was made without a word of how models are to be wrapped."""
    site = getattr(model.site, "node", None)
    made = [event for event in walk.events if event.effect == Effect.CONSTRUCT and event.node is site]
    makers = [event.receiver for event in made if isinstance(event.receiver, Object)]
    words = ("kwargs_handlers", "fsdp_plugin", "deepspeed_plugin", "deepspeed_plugins", "megatron_lm_plugin", "**")
    return bool(makers) and not any(name in words for maker in makers for name, _ in maker.kwargs)


_ASKS = frozenset({"if", "ternary", "and", "or", "match", "return"})


def _parting(uses: Sequence[Event], walk: Walk) -> Guard | None:
    """The condition, asked in the forward pass, of which one answer leads to all uses of a part, the other to none."""
    first = uses[0]
    for guard in first.guards:
        if guard.depth <= first.details["depth"] or guard.kind not in _ASKS or guard.guess:
            continue
        if walk.presence is not None and id(guard) in walk.presence.over:
            continue  # the others end here, and say why
        sides = {_side(use, guard) for use in uses}
        if len(sides) == 1 and "" not in sides and not _is_split(uses):
            return guard
    return None


def _is_split(uses: Sequence[Event]) -> bool:
    """Whether different ranks use it at different places."""
    return len({use.ranks for use in uses}) > 1


def _side(use: Event, guard: Guard) -> str:
    """On which side of a condition a use stands: in its body, in its ``else``, or behind it; "" for outside."""
    if not any(step.node is guard.node for step in use.guards):
        return ""
    if not isinstance(guard.statement, cst.If):
        return "in"
    tree = tree_of(guard.file.module)
    nodes = [frame.node for frame in use.stack if frame.file is guard.file and frame.node in tree]
    for side, part in (("body", guard.statement.body), ("else", guard.statement.orelse)):
        if part is not None and any(tree.contains(part, node) for node in nodes):
            return side
    return "behind"
