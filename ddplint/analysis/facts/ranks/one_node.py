"""Programs that run on one node only: what is done once per node is done once."""

from __future__ import annotations

from typing import TypeGuard

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, Object, Value
from ddplint.analysis.facts.ranks import numbering
from ddplint.analysis.trace.events import Walk
from ddplint.knowledge import load_knowledge, tables
from ddplint.util.kept import kept


@kept
def is_on_one_node(walk: Walk) -> bool:
    """Whether everything that begins the distributed run of a program keeps to one node."""
    groups = [numbering.meets_on_its_node(walk, event) for event in walk.doing(Effect.INIT)]
    made = {event.receiver.id: event.receiver for event in walk.events if _is_framework(event.receiver)}
    begun = [*groups, *map(_is_told_of_no_more, made.values())]
    return bool(begun) and all(begun)


def _is_framework(value: Value | None) -> TypeGuard[Object]:
    return isinstance(value, Object) and load_knowledge().usual(value.name) in tables.names("counts_nodes")


def _is_told_of_no_more(made: Object) -> bool:
    given = dict(made.kwargs)
    return given.get("num_nodes", Const(1)) in (Const(1), Const("1")) and not {"*", "**"} & given.keys()
