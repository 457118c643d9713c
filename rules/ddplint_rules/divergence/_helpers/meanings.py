"""What each rank means by a collective that they meet in: the root that it names, and the operation."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Const, Event, External, PerRank, Value
from ddplint.rule.code import calls_in


def roots_named(event: Event) -> dict[int, object]:
    """The root that each rank names, where they differ; none where each sends its own and the others receive it."""
    root = _root(event)
    ranks = _together(event)
    if not isinstance(root, PerRank) or len(ranks) < 2:
        return {}
    seen = _seen(root, ranks)
    sent = all(rank == value for rank, value in seen.items()) and _others_receive(event)
    return seen if len(set(seen.values())) > 1 and not sent else {}


def root_outside(event: Event) -> tuple[int, tuple[int, ...]] | None:
    """A root that is no member of the group, and the members."""
    root, members = _root(event), event.details.get("members")
    if not isinstance(root, Const) or not isinstance(root.value, int) or not isinstance(members, int):
        return None
    inside = tuple(rank for rank in range(members.bit_length()) if members >> rank & 1)
    return (root.value, inside) if inside and root.value not in inside and _together(event) else None


def operations_named(event: Event) -> dict[int, str]:
    """The reduce operation that each rank names, where they differ."""
    for value in _given(event):
        named = {rank: value.values[rank] for rank in _together(event)}
        names = {rank: one.name for rank, one in named.items() if isinstance(one, External)}
        if len(set(names.values())) > 1 and all("ReduceOp" in name for name in names.values()):
            return {rank: name.rpartition(".")[2] for rank, name in names.items()}
    return {}


def _given(event: Event) -> Iterator[PerRank]:
    """The arguments that are known to be others on each rank."""
    yield from (value for value in (*event.args, *event.kwargs.values()) if isinstance(value, PerRank))


def _together(event: Event) -> list[int]:
    """The ranks that meet in the event; none where the group is not known."""
    members = event.details.get("members")
    if not isinstance(members, int):
        return []
    return sorted(rank for rank in event.ranks if not members or members >> rank & 1)


def _root(event: Event) -> Value | None:
    assert event.api is not None
    return event.api.root.of(event.args, event.kwargs)


def _others_receive(event: Event) -> bool:
    """Whether the same is called in the other arm of a condition: who has something sends it, the others receive."""
    if event.call is None:
        return False
    for inner, step in event.file.upward(event.node):
        if isinstance(step, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(step, cst.If) and step.orelse is not None and inner is not step.test:
            other = step.body if inner is step.orelse else step.orelse
            if any(call.func.deep_equals(event.call.func) for call in calls_in(other)):
                return True
    return False


def _seen(value: PerRank, ranks: list[int]) -> dict[int, object]:
    """What each rank passes, where it is known on all of them."""
    consts = {rank: value.values[rank] for rank in ranks}
    known = {rank: one.value for rank, one in consts.items() if isinstance(one, Const)}
    return known if len(known) == len(ranks) else {}
