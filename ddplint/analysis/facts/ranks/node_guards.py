"""Guards that let in the first rank of every node, and groups that are given the number within the node."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, Origin, Reason
from ddplint.analysis.domain.values import WORLD_SIZE, Const
from ddplint.analysis.facts.ranks.multiplicity import LOCAL_FIRST
from ddplint.analysis.facts.ranks.numbering import is_local, is_written_out, meets_on_its_node
from ddplint.analysis.trace.events import Event, Walk
from ddplint.fixing.code.site import Site
from ddplint.source.ancestry import nodes_of
from ddplint.source.tree import code_of


def local_guard(event: Event) -> Guard | None:
    """The guard that lets in the first rank of every node, if the local rank decides there."""
    return None if event.ranks != LOCAL_FIRST or event.by_all else _of_node(event)


def is_by_first_of_node(event: Event) -> bool:
    """Whether the local rank decides who does it: where each asked a disk as well, one node may do it alone."""
    return not event.by_all and event.ranks <= LOCAL_FIRST and _of_node(event) is not None


def _of_node(event: Event) -> Guard | None:
    for guard in event.guards:
        if any(map(_is_sum, guard.origins)):
            return None
        named = any("local" in origin.text.lower() for origin in guard.origins)
        if guard.reason is Reason.IDENTITY and (named or _or_locally(guard)):
            return guard
    return None


def _or_locally(guard: Guard) -> bool:
    """Whether the local rank is the second thing asked, without more: ``rank == 0 or local_rank == 0``."""
    asked = guard.node.expression if isinstance(guard.node, cst.UnaryOperation) else guard.node
    if not isinstance(asked, cst.BooleanOperation) or not isinstance(asked.operator, cst.Or):
        return False
    sides = (asked.left, asked.right)
    if any(isinstance(side, cst.BooleanOperation) for side in sides):
        return False  # what is asked beside it may say that each node has a disk of its own
    return any("local" in code_of(side).lower() for side in sides)


def _is_sum(origin: Origin) -> bool:
    """Whether something was added to a number: a local rank behind the ranks of other nodes is none."""
    return isinstance(origin.node, cst.BinaryOperation) and isinstance(origin.node.operator, cst.Add)


def asked_elsewhere(guard: Guard, event: Event) -> Origin | None:
    """Where another file than that of an event decided that the local rank counts, and handed over the answer."""
    for origin in guard.origins:
        if isinstance(origin.node, (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation)):
            return origin if origin.file is not event.file else None
    return None


def given_local_ranks(walk: Walk) -> Iterator[Event]:
    """The calls of ``init_process_group`` that get the number within the node, and the size of the world."""
    for event in walk.doing(Effect.INIT):
        if _given_local_rank(event) and not meets_on_its_node(walk, event):
            yield event


def _given_local_rank(event: Event) -> bool:
    """Whether ``init_process_group`` gets the local rank and the size of the world."""
    if not event.name.endswith("init_process_group"):
        return False
    rank, size = event.argument("rank", 4), event.argument("world_size", 3)
    if not isinstance(size, Const) or str(size.value) != str(WORLD_SIZE):
        return False
    written = event.given("world_size", 3)
    return is_local(rank) and not is_written_out(Site(event.file, event.node), written)


def passed_ranks(event: Event) -> Iterator[cst.BaseExpression]:
    """What the variable that a call passes for the rank is set to in the function around."""
    passed, function = event.given("rank"), Site(event.file, event.node).function
    if not isinstance(passed, cst.Name) or function is None:
        return
    for step in nodes_of(function, cst.Assign, into_functions=False):
        if any(isinstance(one.target, cst.Name) and one.target.value == passed.value for one in step.targets):
            yield step.value
