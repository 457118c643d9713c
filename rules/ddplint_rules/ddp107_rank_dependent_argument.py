"""DDP107 rank-dependent-argument."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Const, Event, External, Finding, Note, PerRank, Place, Rule, Severity, Value, Walk
from ddplint_rules._parting import who


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

    `src` and `dst` are global ranks, in a group too; a rank that is no member cannot be the root of its collectives.

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
    There is no automatic fix: which rank was meant cannot be told.
    """

    code = "DDP107"
    name = "rank-dependent-argument"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            if event.effect in ("collective", "save_all_ranks") and event.api is not None:
                problem = _root_problem(event) or _operation_problem(event)
                if problem is not None:
                    message, advice = problem
                    yield self.finding(Place(event.file, event.node), message, notes=_origins(event), no_fix=advice)


def _together(event: Event) -> list[int]:
    """The ranks that meet in the event; none where the group is not known."""
    members = event.details.get("members")
    if not isinstance(members, int):
        return []
    return sorted(rank for rank in event.ranks if not members or members >> rank & 1)


def _root(event: Event) -> Value | None:
    api = event.api
    assert api is not None
    if api.root_arg and api.root_arg in event.kwargs:
        return event.kwargs[api.root_arg]
    if api.root_pos is not None and api.root_pos < len(event.args):
        return event.args[api.root_pos]
    return None


def _root_problem(event: Event) -> tuple[str, str] | None:
    root = _root(event)
    ranks = _together(event)
    if isinstance(root, PerRank):
        seen = _seen(root, ranks)
        if len(ranks) > 1 and len(set(seen.values())) > 1:
            said = ", ".join(f"rank {rank} says {value}" for rank, value in list(seen.items())[:2])
            return f"{event.label} with another root on each rank ({said})", "name the same rank on all of them"
    members = event.details.get("members")
    if isinstance(root, Const) and isinstance(root.value, int) and isinstance(members, int) and members and ranks:
        inside = tuple(rank for rank in range(members.bit_length()) if members >> rank & 1)
        if root.value not in inside:
            message = f"{event.label} with root {root.value} in a group of {who(inside)}"
            return message, "name a member of the group, by its global rank"
    return None


def _seen(value: PerRank, ranks: list[int]) -> dict[int, object]:
    """What each rank passes, where it is known on all of them."""
    consts = {rank: value.values[rank] for rank in ranks}
    known = {rank: one.value for rank, one in consts.items() if isinstance(one, Const)}
    return known if len(known) == len(ranks) else {}


def _operation_problem(event: Event) -> tuple[str, str] | None:
    for value in (*event.args, *event.kwargs.values()):
        if isinstance(value, PerRank):
            names = {
                one.name
                for rank, one in enumerate(value.values)
                if rank in _together(event) and isinstance(one, External)
            }
            if len(names) > 1 and all("ReduceOp" in name for name in names):
                said = " and ".join(sorted(name.rpartition(".")[2] for name in names))
                message = f"{event.label} with different operations on different ranks ({said})"
                return message, "pass the same operation on all of them"
    return None


def _origins(event: Event) -> tuple[Note, ...]:
    """Where the differing arguments come from."""
    notes: list[Note] = []
    for value in (*event.args, *event.kwargs.values()):
        if isinstance(value, PerRank) and value.trail is not None:
            links = [link for link in value.trail.links() if link.node is not event.node]
            notes += [Note("origin", Place(link.file, link.node), link.text or "differs by rank") for link in links]
    return tuple({id(note.place.node): note for note in notes}.values())
