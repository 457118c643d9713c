"""DDP107 rank-dependent-argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import libcst as cst

from ddplint.rule import (
    Const,
    Effect,
    Event,
    External,
    Finding,
    Harm,
    Note,
    Outcome,
    PerRank,
    Place,
    RankAction,
    Rule,
    Severity,
    Value,
    Walk,
)
from ddplint.rule.code import calls_in
from ddplint_rules.common.reporting import operation, who

T = TypeVar("T")


class RankDependentArgument(Rule):
    """## What it does
    Finds a collective whose root or reduce operation differs between the ranks that meet in it:
    `broadcast(x, src=rank)`, `op=SUM if rank == 0 else MAX`, a rank within a group used as root, or a root that is not
    a member of the group.

    Arguments that may differ (the gather list, the scattered tensors, the peer of `send` and `recv`) are not reported.

    ## Why is this bad
    The ranks meet, but do not mean the same. Measured on gloo with torch 2.13:

    - `broadcast(x, src=rank)`: every rank sends and none receives, or all receive and none sends; they hang until the
      timeout. `TORCH_DISTRIBUTED_DEBUG=DETAIL` does not notice either.
    - `all_reduce` with SUM on one rank and MAX on the other: both got the sum, without an error, not under DETAIL
      either.

    `src` and `dst` are global ranks, in a group too; a rank that is no member cannot be the root of its collectives:
    `broadcast(x, src=0)` in the group of ranks 2 and 3 raised `ValueError: Global rank 0 is not part of group` on both.
    An unknown group called `local_group`, `intra_node_pg` or the like is taken for that of the rank's own node.

    It happened in meta-pytorch/torchrec#4601 (the leader picked by the rank within the group, the broadcast from the
    global one) and pytorch/pytorch#130515.

    ## Example
    ```python
    dist.broadcast(weights, src=dist.get_rank())
    ```

    ## Use instead
    ```python
    dist.broadcast(weights, src=0)
    ```

    ## Fix safety
    There is no automatic fix: which rank was meant is not in the source.
    """

    code = "DDP107"
    name = "rank-dependent-argument"
    severity = Severity.ERROR
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            if event.effect in (Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS) and event.api is not None:
                problem = _root_problem(event) or _operation_problem(event)
                if problem is not None:
                    yield self._reported(event, problem)

    def _reported(self, event: Event, problem: _Problem) -> Finding:
        place = Place(event.file, event.node)
        met = operation(event)
        actions = tuple(
            RankAction((rank,), f"{event.label} {said}", place, operation=met) for rank, said in problem.said.items()
        )
        return self.finding(
            place,
            problem.message,
            notes=_origins(event),
            actions=actions,
            outcome=Outcome.MISMATCHED if actions else None,
            no_fix=problem.advice,
        )


class _Problem(NamedTuple):
    """What is wrong, the way out, and what each of two ranks says, where they differ."""

    message: str
    advice: str
    said: dict[int, str]


def _together(event: Event) -> list[int]:
    """The ranks that meet in the event; none where the group is not known."""
    members = event.details.get("members")
    if not isinstance(members, int):
        return []
    return sorted(rank for rank in event.ranks if not members or members >> rank & 1)


def _root(event: Event) -> Value | None:
    api = event.api
    assert api is not None
    return api.root.of(event.args, event.kwargs)


def _root_problem(event: Event) -> _Problem | None:
    root = _root(event)
    ranks = _together(event)
    if isinstance(root, PerRank):
        seen = _seen(root, ranks)
        sent = all(rank == value for rank, value in seen.items()) and _others_receive(event)
        if len(ranks) > 1 and len(set(seen.values())) > 1 and not sent:
            two = _two(seen)
            said = ", ".join(f"rank {rank} says {value}" for rank, value in two.items())
            way = "to" if event.api is not None and event.api.root.name.startswith("dst") else "from"
            return _Problem(
                f"{event.label} with another root on each rank ({said})",
                "name the same rank on all of them",
                {rank: f"{way} rank {value}" for rank, value in two.items()},
            )
    members = event.details.get("members")
    if isinstance(root, Const) and isinstance(root.value, int) and isinstance(members, int) and members and ranks:
        inside = tuple(rank for rank in range(members.bit_length()) if members >> rank & 1)
        if root.value not in inside:
            message = f"{event.label} with root {root.value} in a group of {who(inside)}"
            return _Problem(message, "name a member of the group, by its global rank", {})
    return None


def _others_receive(event: Event) -> bool:
    """Whether the same is called in the other arm of a condition: who has something sends it, the others receive."""
    if event.call is None:
        return False
    for inner, step in event.file.upward(event.node):
        if isinstance(step, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(step, cst.If) and step.orelse is not None and inner is not step.test:
            other = step.body if inner is step.orelse else step.orelse
            calls = calls_in(other)
            if any(call.func.deep_equals(event.call.func) for call in calls):
                return True
    return False


def _seen(value: PerRank, ranks: list[int]) -> dict[int, object]:
    """What each rank passes, where it is known on all of them."""
    consts = {rank: value.values[rank] for rank in ranks}
    known = {rank: one.value for rank, one in consts.items() if isinstance(one, Const)}
    return known if len(known) == len(ranks) else {}


def _two(seen: dict[int, T]) -> dict[int, T]:
    """The first rank, and the first that says something else."""
    ranks = list(seen)
    other = next(rank for rank in ranks if seen[rank] != seen[ranks[0]])
    return {rank: seen[rank] for rank in (ranks[0], other)}


def _operation_problem(event: Event) -> _Problem | None:
    for value in (*event.args, *event.kwargs.values()):
        if isinstance(value, PerRank):
            named = {rank: value.values[rank] for rank in _together(event)}
            names = {rank: one.name for rank, one in named.items() if isinstance(one, External)}
            if len(set(names.values())) > 1 and all("ReduceOp" in name for name in names.values()):
                short = {rank: name.rpartition(".")[2] for rank, name in names.items()}
                said = " and ".join(sorted(set(short.values())))
                return _Problem(
                    f"{event.label} with different operations on different ranks ({said})",
                    "pass the same operation on all of them",
                    {rank: f"with {name}" for rank, name in _two(short).items()},
                )
    return None


def _origins(event: Event) -> tuple[Note, ...]:
    """Where the differing arguments come from."""
    notes: list[Note] = []
    for value in (*event.args, *event.kwargs.values()):
        if isinstance(value, PerRank) and value.trail is not None:
            links = [link for link in value.trail.links() if link.node is not event.node]
            notes += [Note("origin", Place(link.file, link.node), link.text or "differs by rank") for link in links]
    return tuple({id(note.place.node): note for note in notes}.values())
