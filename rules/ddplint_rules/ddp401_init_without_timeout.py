"""DDP401 init-without-timeout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Const, Event, Finding, Fix, Note, Place, Rule, Safety, Severity, Walk

if TYPE_CHECKING:
    from ddplint_rules._groups import GroupCall

_NEW_GROUP = "torch.distributed.new_group"
_MONITORED = "torch.distributed.monitored_barrier"


class InitWithoutTimeout(Rule):
    """## What it does
    Finds `init_process_group` without a `timeout`, `new_group` without one where the default group has its own, and
    `monitored_barrier` on a group without one.

    ## Why is this bad
    The timeout bounds how long a rank waits for the others in every collective, so it must exceed the longest work
    that one rank does alone (tokenising, scanning a data set, writing a checkpoint), and should not exceed it by
    much, or a hang goes unnoticed. The default is finite, but it depends on details: read in torch 2.13, 10 minutes
    for backend `"nccl"`, and 30 minutes for every other backend, for no backend and for `"cpu:gloo,cuda:nccl"`;
    before torch 2.2 it was 30 minutes for NCCL too. `new_group` **does not inherit** the timeout of the default
    group: measured, with 6 seconds at init a collective on a new group waited 14 seconds for its peer, because the
    new group had its 30 minutes.

    `monitored_barrier` does not ask its group either: measured, on a group with 5 seconds it waited 14 seconds for
    a late rank and then passed.

    Ten minutes were too short in oumi-ai/oumi#401 and stanford-futuredata/ColBERT#318, another group kept its
    default in pytorch/pytorch#135352.

    ## Example
    ```python
    dist.init_process_group(backend="nccl")
    ```

    ## Use instead
    ```python
    dist.init_process_group(backend="nccl", timeout=timedelta(minutes=30))
    ```

    ## Fix safety
    Safe: only the time until a waiting rank gives up changes. The fix writes 30 minutes; the rule's options
    `minutes` and `env` (the name of an environment variable to read the minutes from) change that.
    """

    code = "DDP401"
    name = "init-without-timeout"
    severity = Severity.ADVICE

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules._groups import INIT, argument, calls_of, starred

        waiting = _long_waits(walks)
        for call in calls_of(walks, [INIT]) if not _only_sends(walks) else ():
            if argument(call.node, "timeout", 2) is None and not starred(call.node):
                text = f"init_process_group without a timeout: {_default(call.events)}"
                yield self._told(call, text, severity=Severity.WARNING if waiting else self.severity, notes=waiting)
        for call in calls_of(walks, [_NEW_GROUP]):
            parent = next((found for event in call.events if (found := _timed_init(event, walks)) is not None), None)
            if parent is not None and argument(call.node, "timeout", 1) is None and not starred(call.node):
                note = Note("related", Place(parent.file, parent.node), "this timeout is not inherited")
                text = "new_group does not inherit the timeout of the default group: its own default applies"
                yield self._told(call, text, notes=(note,))

        for call in calls_of(walks, [_MONITORED]):
            group = argument(call.node, "group", 0)
            if group is not None and argument(call.node, "timeout", 1) is None and not starred(call.node):
                text = "monitored_barrier without a timeout takes the backend's default, not the timeout of its group"
                yield self.finding(Place(call.site.file, call.node), text, no_fix="pass the timeout that is meant")

    def _told(self, call: GroupCall, message: str, **more: object) -> Finding:
        return self.finding(Place(call.site.file, call.node), message, fix=self._fix(call), **more)

    def _fix(self, call: GroupCall) -> Fix:
        from ddplint.fixing.builders import set_keyword, timeout_expression
        from ddplint.fixing.edits import Replace

        minutes = self.options.get("minutes", 30)
        env = str(self.options.get("env", ""))
        built = timeout_expression(call.site, minutes=minutes if isinstance(minutes, int) else 30, env=env)
        edit = Replace(call.site.file, call.node, set_keyword(call.node, "timeout", built.expression))
        where = f"the minutes in {env}" if env else f"{minutes} minutes"
        return Fix(f"Pass a timeout of {where}", Safety.SAFE, (edit, *built.edits))


def _long_waits(walks: Sequence[Walk]) -> tuple[Note, ...]:
    """Work of some ranks that the others may wait for longer than the default (see DDP402)."""
    from ddplint_rules._slow import waits

    found = next((wait for wait in waits(walks) if wait.known and not wait.limit.own and not wait.first), None)
    return (
        ()
        if found is None
        else (Note("related", Place(found.place.file, found.place.node), "the others wait for this"),)
    )


def _only_sends(walks: Sequence[Walk]) -> bool:
    """Whether all communication of the file is sending and receiving: there is no collective to wait in."""
    effects = {event.effect for walk in walks for event in walk.events}
    waiting = {"collective", "construct", "forward", "backward", "step", "save_all_ranks", "save_any"}
    return "point_to_point" in effects and not effects & waiting


def _default(events: Sequence[Event]) -> str:
    """The default that applies, as far as the backend is known."""
    given = {event.kwargs.get("backend", event.args[0] if event.args else None) for event in events}
    backends = {value.value for value in given if isinstance(value, Const)}
    if len(given) == 1 and backends == {"nccl"}:
        return "NCCL's default of 10 minutes applies"
    if len(given) == 1 and backends in ({"gloo"}, {"mpi"}, {"ucc"}):
        return "the default of 30 minutes applies"
    return "the default applies, 10 minutes for backend nccl and 30 otherwise"


def _timed_init(event: Event, walks: Sequence[Walk]) -> Event | None:
    """The creation of the default group before ``event``, in the same walk, where it has a timeout of its own."""
    from ddplint_rules._groups import INIT

    walk = next(walk for walk in walks if any(other is event for other in walk.events))
    for other in walk.events:
        if other.name == INIT and other.order < event.order:
            timeout = other.kwargs.get("timeout", other.args[2] if len(other.args) > 2 else None)
            if timeout is not None and timeout != Const(None):
                return other
    return None
