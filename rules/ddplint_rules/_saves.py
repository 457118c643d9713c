"""What the rules about writes on every rank share: who comes there, what the call tolerates, which test guards it."""

from __future__ import annotations

from ddplint.rule import Event, Guard, Reason, Walk
from ddplint_rules import _files as files
from ddplint_rules import _paths as paths
from ddplint_rules._tests import asked, refuses

__all__ = ["is_by_all", "refuses", "tested", "tolerates"]

_BY_CONTRACT = frozenset({"save_any", "save_all_ranks", "log_any"})


def is_by_all(walk: Walk, event: Event, *, clock: bool = False) -> bool:
    """Whether several ranks surely make this call, on a path that is the same for all of them (but for the time)."""
    if len(event.ranks) < 2 or _is_local(event) or not files.run_together(walk, event):
        return False
    if guards_itself(event) or files.depends_on_a_part(event):
        return False
    if any(guard.reason is Reason.EXCEPTION for guard in event.guards):
        return False
    if event.effect == "tracker":
        given = (*event.args, *event.kwargs.values())
        return all(files.same_for_all(value, clock=clock) for value in given) and "group" not in event.kwargs
    target = files.target_of(event)
    return target is not None and files.same_for_all(target, clock=clock) and not files.is_handed_in(target)


def _is_local(event: Event) -> bool:
    return event.ranks != event.everyone and event.ranks <= files.LOCAL_FIRST


def guards_itself(event: Event) -> bool:
    """Whether the call decides itself who writes."""
    row = event.api
    if row is None:
        return False
    if _BY_CONTRACT & set(row.roles) or (row.effect == "download" and row.atomic):
        return True
    return any(name in event.kwargs for name in (row.is_main_arg, "save_function") if name)


def tolerates(event: Event) -> bool:
    """Whether the call was told that others may have done it already."""
    row = event.api
    if row is None:
        return False
    pairs = (
        (row.exist_ok_arg, row.exist_ok_pos),
        (row.missing_ok_arg, row.missing_ok_pos),
        (row.ignore_errors_arg, row.ignore_errors_pos),
    )
    return any(files.is_given(event, name, position) for name, position in pairs if name)


def tested(walk: Walk, event: Event) -> tuple[Guard, Event] | None:
    """The guard at which the ranks asked for the very path that the event changes, and the question."""
    rank = min(event.ranks)
    changed = {paths.written(event, rank), paths.looked_at(event, rank)} - {()}
    for guard in event.guards:
        for test in asked(walk, guard):
            path = paths.looked_at(test, rank)
            if path and any(path == one for one in changed):
                return guard, test
    return None
