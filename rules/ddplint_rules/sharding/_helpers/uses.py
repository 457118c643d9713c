"""Which parts of a wrapped model a forward pass uses on some ranks only, as one condition says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Event, External, Frame, Guard, GuardKind, Object, Reason, Walk, Wrapped
from ddplint.rule.code import tree_of
from ddplint.rule.facts import selected_by_each

_UNUSED = "find_unused_parameters"


@dataclass(frozen=True, eq=False)
class Lone:
    """A part of ``model`` that is used at ``anchor`` on the ranks that ``guard`` lets in, and nowhere else.

    ``kind`` says what the model is behind: ``ddp``, ``prepared`` (whatever was chosen at the launch), ``fsdp1`` (the
    part lies in a unit that its policy makes), ``fsdp2``, ``zero3`` (which gathers each module where it is called).
    """

    guard: Guard
    anchor: Frame
    kind: str


def lone_parts(walk: Walk) -> Iterator[Lone]:
    """What a forward pass with gradients uses on some ranks only, once for each condition."""
    if walk.cut or not any(_is_backward(event) for event in walk.events):
        return
    told = {id(one.guard.node) for one in walk.divergences}
    found = uses_by_part(walk)
    for (number, part), uses in found.items():
        model = uses[0].details["wrapped"]
        kind = kind_of(model, walk, part) if model is not None else ""
        if not kind or not is_trained(walk, uses, kind):
            continue
        if kind == "fsdp1" and model is not None:
            unit = _unit_of(model, walk, part)
            uses = sorted((use for one in unit for use in found.get((number, one), ())), key=lambda use: use.order)
        guard = _parting(uses, walk) or _counted_out(uses)
        if guard is not None and id(guard.node) not in told:
            told.add(id(guard.node))
            yield Lone(guard, uses[0].stack[min(guard.depth, len(uses[0].stack)) - 1], kind)


def _is_backward(event: Event) -> bool:
    return event.effect in (Effect.BACKWARD, Effect.FRAMEWORK_BACKWARD) or (
        event.effect == Effect.COLLECTIVE and event.name.endswith(".backward")
    )


def uses_by_part(walk: Walk) -> dict[tuple[int, int], list[Event]]:
    """The uses of each part in each forward pass, by the number of the pass and that of the part, in program order."""
    found: dict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in walk.events:
        if event.effect == Effect.PART:
            for part in event.details["parts"]:
                found[event.details["pass_number"], part].append(event)
    return {key: uses for key, uses in found.items() if any(not use.details["no_grad"] for use in uses)}


def is_trained(walk: Walk, uses: Sequence[Event], kind: str) -> bool:
    """Whether the other ranks miss a part that is left out: its gradients, or its parameters themselves."""
    frozen = {part for event in walk.doing(Effect.FREEZE) for part in event.details["parts"]}
    return kind in _GATHERED or _part_of(uses) not in frozen


def _part_of(uses: Sequence[Event]) -> int:
    """The number of the part that all of these uses have."""
    return int(min(frozenset.intersection(*(use.details["parts"] for use in uses))))


_GATHERED = ("fsdp1", "fsdp2", "zero3")


def kind_of(model: Wrapped, walk: Walk, part: int) -> str:
    """What a model is behind, if leaving a part of it out on some ranks is a fault there; else nothing."""
    if model.api.wraps == "ddp":
        return "" if _looks_for_unused(model) else "ddp"
    if model.api.wraps == "fully_shard":
        return "fsdp2"
    if model.api.wraps == "deepspeed":
        return "zero3" if model.split else ""
    if model.api.wraps == "fsdp" and model.api.framework == "torch":
        return "fsdp1" if part in _units(model, walk) else ""
    if model.api.wraps == "prepare" and not model.split:
        return "prepared" if _is_left_as_it_is(model, walk) else ""
    return ""


def _units(model: Wrapped, walk: Walk) -> Mapping[int, int]:
    """In which units parts lie that the wrapper makes of the model; with ``NO_SHARD`` nothing is gathered."""
    strategy = dict(model.kwargs).get("sharding_strategy")
    if strategy is not None and not (isinstance(strategy, External) and strategy.name.endswith(_SPLITS)):
        return {}
    site = getattr(model.site, "node", None)
    made = (event for event in walk.doing(Effect.CONSTRUCT) if event.node is site)
    return {part: unit for event in made for part, unit in event.details["units"].items()}


def _unit_of(model: Wrapped, walk: Walk, part: int) -> list[int]:
    """All parts of the unit in which one lies."""
    units = _units(model, walk)
    return [other for other, unit in units.items() if unit == units[part]]


_SPLITS = ("FULL_SHARD", "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2", "SHARD_GRAD_OP")


def _looks_for_unused(model: Wrapped) -> bool:
    """Whether the wrapper was asked to look for parameters that were left out, or may have been."""
    given = dict(model.kwargs)
    asked = given.get(_UNUSED, Const(False))
    return asked != Const(False) or "**" in given


def _is_left_as_it_is(model: Wrapped, walk: Walk) -> bool:
    """Whether an ``Accelerator`` was made without a word of how models are to be wrapped."""
    site = getattr(model.site, "node", None)
    made = [event for event in walk.doing(Effect.CONSTRUCT) if event.node is site]
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


def _counted_out(uses: Sequence[Event]) -> Guard | None:
    """The loop of the forward pass, over what a rank's own data selects, in which a part is used: none, perhaps."""
    first = uses[0]
    for loop in first.loops:
        inside = loop.depth > first.details["depth"] and all(loop in use.loops for use in uses)
        if inside and not _is_split(uses) and selected_by_each(loop.source) is not None:
            return Guard(GuardKind.FOR, loop.file, loop.node, loop.node, Reason.LENGTH, depth=loop.depth)
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
