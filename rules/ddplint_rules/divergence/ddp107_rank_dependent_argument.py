"""DDP107 rank-dependent-argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from ddplint.rule import (
    Effect,
    Event,
    Finding,
    Harm,
    Note,
    Outcome,
    PerRank,
    Place,
    RankAction,
    Rule,
    Severity,
    Walk,
)
from ddplint.rule.facts import unequal_kinds
from ddplint.rule.notes import came_from, related
from ddplint_rules.common.reporting import operation, who
from ddplint_rules.divergence._helpers.meanings import operations_named, root_outside, roots_named

T = TypeVar("T")


class RankDependentArgument(Rule):
    """## What it does
    Finds a collective whose root or reduce operation differs between the ranks that meet in it:
    `broadcast(x, src=rank)`, `op=SUM if rank == 0 else MAX`, a rank within a group used as root, or a root that is not
    a member of the group. Also a tensor that one rank makes of a whole number and another of a fraction
    (`torch.tensor(0)` beside `torch.tensor(0.5)`), without a `dtype`. And a process group whose port each rank has
    drawn for itself: at random, or as one that is free.

    Arguments that may differ (the gather list, the scattered tensors, the peer of `send` and `recv`) are not reported.

    ## Why is this bad
    The ranks meet, but do not mean the same. Measured on gloo with torch 2.13:

    - `broadcast(x, src=rank)`: every rank sends and none receives, or all receive and none sends; they hang until the
      timeout. `TORCH_DISTRIBUTED_DEBUG=DETAIL` does not notice either.
    - `all_reduce` with SUM on one rank and MAX on the other: both got the sum, without an error, not under DETAIL
      either.
    - `all_reduce` of `torch.tensor(0.75)` on rank 0 and `torch.tensor(0)` on rank 1: 4 bytes met 8, and rank 0 was
      aborted by gloo ("Received data size doesn't match expected size").

    - `os.environ["MASTER_PORT"] = str(random.randint(…))` in each of two processes: the first waited for clients, the
      other for a server at its own port, both until the timeout (30 minutes where none is given).

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
                problem = _root_problem(event) or _operation_problem(event) or _kind_problem(event)
                if problem is not None:
                    yield self._reported(event, problem)
        yield from self._apart(walk)

    def _apart(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.divergence._helpers.rendezvous import apart

        for start, draw in apart(walk):
            yield self.finding(
                Place.of(start),
                "every rank draws a port of its own to meet the others at: nobody comes to it",
                notes=(related(draw, "drawn here, by each rank"),),
                outcome=Outcome.WAITS,
                no_fix="draw it once, before the processes are started, or leave MASTER_PORT to the launcher",
            )

    def _reported(self, event: Event, problem: _Problem) -> Finding:
        place = Place.of(event)
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


def _root_problem(event: Event) -> _Problem | None:
    roots = _two(roots_named(event))
    if roots:
        said = ", ".join(f"rank {rank} says {value}" for rank, value in roots.items())
        way = "to" if event.api is not None and event.api.root.name.startswith("dst") else "from"
        return _Problem(
            f"{event.label} with another root on each rank ({said})",
            "name the same rank on all of them",
            {rank: f"{way} rank {value}" for rank, value in roots.items()},
        )
    outside = root_outside(event)
    if outside is None:
        return None
    message = f"{event.label} with root {outside[0]} in a group of {who(outside[1])}"
    return _Problem(message, "name a member of the group, by its global rank", {})


def _operation_problem(event: Event) -> _Problem | None:
    named = operations_named(event)
    if not named:
        return None
    return _Problem(
        f"{event.label} with different operations on different ranks ({' and '.join(sorted(set(named.values())))})",
        "pass the same operation on all of them",
        {rank: f"with {name}" for rank, name in _two(named).items()},
    )


def _two(named: Mapping[int, T]) -> dict[int, T]:
    """The first rank, and the first that says something else."""
    first = next(iter(named), None)
    other = next((rank for rank in named if first is not None and named[rank] != named[first]), None)
    return {} if first is None or other is None else {first: named[first], other: named[other]}


def _kind_problem(event: Event) -> _Problem | None:
    kinds = unequal_kinds(event) if event.effect == Effect.COLLECTIVE else {}
    if not kinds:
        return None
    said = ", ".join(f"rank {rank} makes it of {kind}" for rank, kind in sorted(kinds.items()))
    return _Problem(
        f"{event.label} of a tensor that has another type on each rank ({said})",
        "give torch.tensor the same dtype on all of them",
        {rank: f"of {kind}" for rank, kind in kinds.items()},
    )


def _origins(event: Event) -> tuple[Note, ...]:
    """Where the differing arguments come from."""
    notes: list[Note] = []
    for value in (*event.args, *event.kwargs.values()):
        notes += came_from(value, "differs by rank") if isinstance(value, PerRank) else ()
    return tuple({id(note.place.node): note for note in notes if note.place.node is not event.node}.values())
