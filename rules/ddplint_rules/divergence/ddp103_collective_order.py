"""DDP103 collective-order."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Divergence, Effect, Finding, Harm, Place, Rule, Severity, Side, Walk
from ddplint.rule.notes import led_here, related
from ddplint_rules.common import reporting


class CollectiveOrder(Rule):
    """## What it does
    Finds a branch on the rank of which both sides call collectives, but of different kinds, in a different order, or
    unequally many. Branches with equal sequences are fine and are not reported. A loop over a `set` of texts or modules
    with a collective in it is a warning: each process goes through it in an order of its own. So is a collective in
    `__del__`: each process collects its garbage when it wants to. And ranks that all call `recv` before any of them
    calls `send`: each waits for another one's message; or `send` before any calls `recv`, which is a warning, for a
    backend may keep small messages.

    ## Why is this bad
    Collectives have no names: the n-th call of one rank meets the n-th call of the others. Measured on gloo with torch
    2.13:

    - Different kinds (a barrier against an `all_reduce`, a `broadcast` against an `all_reduce`): both sides wait until
      the timeout.
    - **The same kind in a different order is silent.** Two `all_reduce` calls swapped on one rank gave 101 on both
      ranks for both tensors, where 2 and 200 were wanted; exit code 0, and not even `TORCH_DISTRIBUTED_DEBUG=DETAIL`
      noticed. Iterating over a `set`, or over a dict that each rank fills in its own order, does the same: in three
      runs of three, two ranks that summed three tensors in the order of `set(names)` had different orders, and added
      tensors of different names (11 where 10 was wanted); with tensors of different sizes one or both raised.
    - A barrier in the `__del__` of an object that refers to itself ran when Python collected garbage, which came sooner
      on the rank that made more objects: it waited in the barrier, the other one in an `all_reduce`, until the timeout.
    - Two ranks that each called `recv` for the other's message, and `send` behind it: both waited until the timeout; so
      they did with `send` first, of ten numbers.
    - Different sizes abort one rank in gloo; equal sizes of different dtypes are added bit by bit: `[1, 2]` arrived as
      `[1065353216, 1073741824]`.

    See horovod/horovod#2640 and Lightning-AI/pytorch-lightning#5865.

    ## Example
    ```python
    if rank == 0:
        dist.broadcast(rate, src=0)
        dist.all_reduce(loss)
    else:
        dist.all_reduce(loss)
        dist.broadcast(rate, src=0)
    ```

    ## Use instead
    ```python
    dist.broadcast(rate, src=0)
    dist.all_reduce(loss)
    ```

    ## Fix safety
    There is no automatic fix: which order was meant is not in the source.
    """

    code = "DDP103"
    name = "collective-order"
    severity = Severity.ERROR
    otherwise = (
        "A warning where ranks have different jobs (pipelines, tensor parallelism) and where the analysis came to a "
        "limit; also for the order of a set and for what `__del__` does."
    )
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        for divergence in reporting.of(self, [walk]):
            remedy = "let both sides call the same, in one order"
            yield reporting.reported(self, divergence, _message(divergence), no_fix=remedy)
        yield from self._by_waiting(walk)
        yield from self._by_sets(walk)
        yield from self._by_garbage(walk)

    def _by_waiting(self, walk: Walk) -> Iterator[Finding]:
        """Ranks that each wait for a message of another one, before any of them sends; or until it is received."""
        from ddplint_rules.divergence._helpers.crossed import SENDS, crossed, words_for

        seen: set[int] = set()
        for events in (*crossed(walk), *crossed(walk, SENDS)):
            if id(events[0].node) in seen:
                continue
            seen.update(id(one.node) for one in events)
            notes = {id(one.node): related(one, "and here") for one in events[1:]}
            notes.pop(id(events[0].node), None)
            text, remedy, may_pass = words_for(events[0])
            yield self.finding(
                Place(events[0].file, events[0].node),
                f"{events[0].label} before any of these ranks {text}",
                severity=Severity.WARNING if may_pass else self.severity,
                because=Because.RANK_DECIDES,
                notes=(*led_here(events[0]), *notes.values()),
                no_fix=remedy,
            )

    def _by_sets(self, walk: Walk) -> Iterator[Finding]:
        """Operations in a loop over a set: each process goes through it in an order of its own."""
        loops = {id(event.details["loop"]): event for event in walk.events if event.details.get("unordered")}
        for event in walk.events if loops else ():
            over = next((loops[id(loop)] for loop in event.loops if id(loop) in loops), None)
            if over is None or event.effect != Effect.COLLECTIVE or "barrier" in event.label:
                continue
            yield self.finding(
                Place.of(over),
                f"{event.label} in the order of a set, which is another one in each process",
                severity=Severity.WARNING,
                because=Because.OWN_VALUE,
                notes=(*led_here(over), related(event, event.label)),
                no_fix="go through a list, or through `sorted(...)`",
            )

    def _by_garbage(self, walk: Walk) -> Iterator[Finding]:
        """Operations in ``__del__``: each process runs it when its garbage is collected."""
        for event in walk.events:
            ended = any(frame.function.endswith(".__del__") for frame in event.stack)
            if not ended or event.effect != Effect.COLLECTIVE or len(event.ranks) < 2:
                continue
            yield self.finding(
                Place.of(event),
                f"{event.label} in `__del__`, which each process runs when it collects its garbage",
                severity=Severity.WARNING,
                because=Because.TIMING,
                notes=tuple(led_here(event)),
                no_fix="call a method for it where all ranks are, such as `close()`",
            )


def _message(divergence: Divergence) -> str:
    first, second = divergence.sides
    alike = second.event is not None and reporting.what(first) == reporting.what(second)
    mine = f"{reporting.who(first.ranks)} {reporting.verb(first.ranks, 'call')} {_named(first, alike)}"
    if second.event is None:
        have = reporting.verb(second.ranks, "have", "has")
        return f"{mine} where {reporting.who(second.ranks)} {have} nothing left to call"
    return f"{mine} where {reporting.who(second.ranks)} {reporting.verb(second.ranks, 'call')} {_named(second, alike)}"


def _named(side: Side, alike: bool) -> str:
    """What a side calls, with its place where both call something of one name."""
    event = side.event
    if event is None or not alike:
        return reporting.what(side)
    return f"{reporting.what(side)} (line {event.file.range_of(event.node).start_line})"
