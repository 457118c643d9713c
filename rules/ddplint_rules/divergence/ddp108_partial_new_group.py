"""DDP108 partial-new-group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import (
    Because,
    Const,
    Event,
    Finding,
    Harm,
    Note,
    PerRank,
    Place,
    Rule,
    Severity,
    Tuple,
    Value,
    Walk,
)
from ddplint_rules.common import reporting
from ddplint_rules.fixes.offer import repair_of


class PartialNewGroup(Rule):
    """## What it does
    Finds `new_group` (also `new_subgroups` and the like) that only some ranks call, or that ranks call once with
    different members: `new_group([rank, rank + 1])`, or in a loop over all groups `if rank in ranks: new_group(ranks)`.

    Groups made with `use_local_synchronization=True` are fine: only their members need to come.

    ## Why is this bad
    Every rank must create every group, in the same order, also those it is no member of: the group's name comes from a
    counter that each rank keeps for itself. Measured on gloo with torch 2.13:

    - On one member only: it waits for the other's key in the store. The timeout given to `init_process_group` does not
      apply; it was still waiting when killed after 60 s, and waits 30 minutes by default.
    - In the member ranks only (`if rank in (0, 1): new_group([0, 1])`): it returns and the group works. **The next
      `new_group` on all ranks hangs**, far away from the mistake, because the counters now differ.
    - With its own pair of ranks on each rank: two groups get one name. Three runs gave wrong sums, a closed connection
      and a hang.
    - `for ranks in ([0, 1], [2, 3]): if rank in ranks: new_group(ranks)`: one run put ranks 0 and 3 together, and 1 and
      2, another ended in a closed connection.

    It happened in pytorch/pytorch#25390 (each rank with its own members), pytorch/pytorch#38375 and
    pytorch/pytorch#130102.

    ## Example
    ```python
    if rank in (0, 1):
        pair = dist.new_group([0, 1])
    ```

    ## Use instead
    ```python
    pair = dist.new_group([0, 1])
    ```

    ## Fix safety
    Letting every rank create the group is safe. There is no automatic fix for members that differ by rank: every rank
    has to loop over all groups and keep its own.
    """

    code = "DDP108"
    name = "partial-new-group"
    severity = Severity.ERROR
    otherwise = (
        "A warning where ranks have different jobs (pipelines, tensor parallelism) and where the analysis came to a "
        "limit."
    )
    harm = Harm.HANG

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for walk in walks:
            for divergence in reporting.of(self, [walk]):
                yield reporting.reported(
                    self,
                    divergence,
                    f"{divergence.event.label} called by {reporting.who(divergence.ranks)} only",
                    answer=repair_of(divergence, walks),
                )
            for event in walk.events:
                if _differs(event):
                    yield self.finding(
                        Place.of(event),
                        f"{event.label} with other members on each rank: groups get mixed up",
                        no_fix=_ALL_OF_THEM,
                    )
                elif (asked := _asked(event)) is not None:
                    yield self.finding(
                        Place.of(event),
                        f"{event.label} called by the members of each group only: groups get mixed up",
                        because=Because.ARGUMENT,
                        notes=(Note("guard", Place(event.file, asked), "the others do not come here"),),
                        no_fix=_ALL_OF_THEM,
                    )


_ALL_OF_THEM = "let every rank create all groups in one order, and keep the one it belongs to"


def _differs(event: Event) -> bool:
    """Whether the ranks that make a group name different members."""
    members = event.details.get("ranks")
    local = event.kwargs.get("use_local_synchronization")
    if not isinstance(members, (PerRank, Tuple)) or len(event.ranks) < 2:
        return False
    if isinstance(local, Const) and local.value:
        return False
    seen = {rank: _seen(members, rank) for rank in event.ranks}
    return len(set(seen.values())) > 1 and any(one != Tuple((Const(rank),)) for rank, one in seen.items())


def _seen(value: Value, rank: int) -> Value:
    if isinstance(value, PerRank):
        return value.values[rank]
    if isinstance(value, Tuple):
        return Tuple(tuple(_seen(item, rank) for item in value.items))
    return value


def _asked(event: Event) -> cst.Comparison | None:
    from ddplint_rules.divergence._helpers.conditions import membership_around

    return membership_around(event)
