"""DDP405 futile-timeout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Because, Const, Effect, Event, Finding, Object, Place, Rule, Severity, Value, Walk
from ddplint.rule.code import Site, SourceFile, nodes_of
from ddplint.rule.facts import minutes_of
from ddplint.rule.notes import related

_MONITORED = "torch.distributed.monitored_barrier"
_DEFAULTS = ("default_pg_timeout", "default_pg_nccl_timeout")
_COPIED_FROM = ("torch.distributed", "torch.distributed.constants")
"""Modules whose defaults nobody reads once torch.distributed is imported."""
_READS = "torch.distributed.distributed_c10d"
"""The module that reads them, under these names and no others."""


class FutileTimeout(Rule):
    """## What it does
    Finds timeouts that do not do what they are there for: `signal.alarm` (or `setitimer`) around a collective, and
    `monitored_barrier(timeout=...)` or `work.wait(timeout)` with more time than the group has, and an assignment to
    `torch.distributed.default_pg_timeout`, or to the module that it comes from, or of a time to another name there.

    ## Why is this bad
    A Python signal handler runs between two lines of Python, never while the process waits inside a collective.
    Measured with `alarm(2)` around an `all_reduce` whose peer came after 8 seconds: the handler ran after **8.0
    seconds**, when the sum was already right, and made rank 0 believe that the operation had failed, which it had
    not on rank 1. Where it does interrupt something, one rank leaves alone and the others wait for it. The timeout
    of the process group is the one that ends a wait.

    The other two are shorter than they look. Measured on a group with 6 seconds: `monitored_barrier(timeout=20s)`
    with rank 0 late failed on the others after 6 seconds (only rank 0 itself waits for the argument), and
    `barrier(async_op=True).wait(20s)` failed after 6 seconds too. A barrier on a group made with
    `new_group(timeout=...)` waits longer, and so does `barrier(timeout=...)` in torch 2.13.

    The default timeout that torch reads is a copy in `distributed_c10d`, taken when it is imported. What is assigned to
    `torch.distributed` or to its module `constants` later left it at 30 minutes (torch 2.13, gloo). Other names for a
    timeout are asked for by nobody.

    See PrimeIntellect-ai/prime-diloco#84, where a `monitored_barrier` went in front of an all-reduce for the sake of
    its timeout.

    ## Example
    ```python
    signal.alarm(60)
    dist.barrier()
    signal.alarm(0)
    ```

    ## Use instead
    ```python
    dist.init_process_group(backend, timeout=timedelta(seconds=60))
    dist.barrier()
    ```

    ## Fix safety
    There is no automatic fix.
    """

    code = "DDP405"
    name = "futile-timeout"
    severity = Severity.WARNING

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for walk in walks:
            yield from self._alarms(walk)
            for event in walk.events:
                if event.name == _MONITORED or event.effect == Effect.WAIT:
                    yield from self._too_long(event, walks)
        for target in _unread(walks[0].file) if walks else ():
            yield self.finding(
                Place(walks[0].file, target),
                f"nobody reads {target.attr.value} here: {_why(target.attr.value)}",
                no_fix="pass timeout= to init_process_group",
            )

    def _alarms(self, walk: Walk) -> Iterator[Finding]:
        """Collectives between ``alarm(n)`` and ``alarm(0)``."""
        armed: Event | None = None
        inside: Event | None = None
        for event in walk.doing(Effect.TIMER, Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS):
            if event.effect == Effect.TIMER and event.name.startswith("signal."):
                if not _switched_off(event):
                    armed, inside = event, None
                elif armed is not None and inside is not None:
                    yield self._reported(armed, inside)
                    armed = None
            elif armed is not None and inside is None and event.effect != Effect.TIMER:
                inside = event

    def _reported(self, armed: Event, inside: Event) -> Finding:
        text = f"{armed.label} cannot interrupt {inside.label}: a Python handler runs only when the wait is over"
        note = related(inside, "the collective")
        place = Place.of(armed)
        return self.finding(place, text, notes=(note,), no_fix="give the process group a timeout of its own")

    def _too_long(self, event: Event, walks: Sequence[Walk]) -> Iterator[Finding]:

        from ddplint_rules.runtime._helpers.timeouts import limit_of_group

        if event.group or event.call is None or _of_a_group(event.receiver, walks):
            return
        position = 1 if event.name == _MONITORED else 0
        minutes = minutes_of(event.argument("timeout", position))
        limit = limit_of_group(event, walks)
        if minutes is None or limit.event is None or minutes <= (limit.minutes or _default(limit.event, limit.own)):
            return
        notes = (related(limit.event, "the timeout that applies"),)
        text = f"{event.label} does not wait longer than its group: {limit.text} ends it first"
        if event.name == _MONITORED:
            text = f"only rank 0 waits this long: the others wait for it with {limit.text}"
        place = Place.of(event)
        remedy = "wait in a group made with its own longer timeout"
        yield self.finding(place, text, notes=notes, because=Because.ARGUMENT, no_fix=remedy)


def _unread(file: SourceFile) -> list[cst.Attribute]:
    """The assignments to a default timeout where torch does not read it; none where the file reads it itself."""
    if not any(name in file.text for name in (*_DEFAULTS, "timedelta")):
        return []
    site = Site(file, file.module)
    written = [node for node in nodes_of(file.module, cst.Attribute) if _is_set(file, node)]
    futile = [node for node in written if _is_futile(site.moved(node), node)]
    names = {node.attr.value for node in futile}
    asked = [node for node in nodes_of(file.module, cst.Attribute) if node.attr.value in names] if names else []
    return futile if all(_is_set(file, node) for node in asked) else []


def _is_set(file: SourceFile, node: cst.Attribute) -> bool:
    return isinstance(file.parents.get(node), (cst.AssignTarget, cst.AnnAssign))


def _is_futile(site: Site, node: cst.Attribute) -> bool:
    """Whether torch does not read it there: a default that it has copied, or a time under a name that it never asks."""
    module = site.qualified(node.value)
    if node.attr.value in _DEFAULTS:
        return module in _COPIED_FROM
    return module in (*_COPIED_FROM, _READS) and _is_a_time(site, node)


def _is_a_time(site: Site, node: cst.Attribute) -> bool:
    """Whether ``timedelta(...)`` is assigned to it."""
    calls = nodes_of(site.statement, cst.Call, into_functions=False)
    return any(site.qualified(call.func) == "datetime.timedelta" for call in calls)


def _why(name: str) -> str:
    copied = name in _DEFAULTS
    return "torch took its own copy when it was imported" if copied else "torch has no timeout of this name"


def _switched_off(event: Event) -> bool:
    position = 1 if event.name.endswith("setitimer") else 0
    given: Value | None = event.kwargs.get("seconds", event.args[position] if len(event.args) > position else None)
    return isinstance(given, Const) and given.value == 0


def _of_a_group(work: Value | None, walks: Sequence[Walk]) -> bool:
    """Whether a handle belongs to an operation on a group of its own."""
    if not isinstance(work, Object):
        return False
    return any(event.node is work.site and event.group for walk in walks for event in walk.events)


def _default(made: Event, own: bool) -> float:
    """The minutes of a group that was given none; more than anybody asks for where they are not known."""
    if own:
        return float("inf")
    backend = made.argument("backend", 0)
    return 10 if backend == Const("nccl") else 30
