"""What rules build their fixes from: edits, recipes, and what must be proven before one may be offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ddplint.findings.edits import Edit, InsertAfter, InsertBefore, Replace, ReplaceStatements
from ddplint.fixing.code.site import Built, CannotBuild, NeededByAll
from ddplint.fixing.recipes.arguments import fitted
from ddplint.fixing.recipes.builders import (
    barrier_statement,
    call_before,
    guard_statements,
    hoist_above_exit,
    hoist_out_of_expression,
    hoist_out_of_guard,
    insert_set_epoch,
    move_above_exit,
    quoted,
    rank_test,
    set_keyword,
    timeout_expression,
    unwrapped,
    wrap_in_timedelta,
)
from ddplint.fixing.recipes.certain import group_surely_exists
from ddplint.fixing.recipes.helper import helper, unused
from ddplint.fixing.recipes.hoist import parted, under_rank_test
from ddplint.fixing.recipes.proof import against
from ddplint.fixing.recipes.reuse import imported_tests, own_object
from ddplint.project.presence import COLLECTIVE, GUARD, MOVE, Against, Demand, demand, reason
from ddplint.rule import Answer, Fix, Safety

__all__ = [
    "Against",
    "Built",
    "COLLECTIVE",
    "CannotBuild",
    "Demand",
    "Edit",
    "GUARD",
    "InsertAfter",
    "InsertBefore",
    "MOVE",
    "NeededByAll",
    "Replace",
    "ReplaceStatements",
    "against",
    "barrier_statement",
    "call_before",
    "demand",
    "fitted",
    "group_surely_exists",
    "guard_statements",
    "helper",
    "hoist_above_exit",
    "hoist_out_of_expression",
    "hoist_out_of_guard",
    "insert_set_epoch",
    "move_above_exit",
    "offer",
    "own_object",
    "parted",
    "quoted",
    "imported_tests",
    "rank_test",
    "reason",
    "set_keyword",
    "timeout_expression",
    "under_rank_test",
    "unused",
    "unwrapped",
    "wrap_in_timedelta",
]


def offer(
    title: str,
    safety: Safety,
    build: Callable[[], Sequence[Edit]],
    advice: str = "",
    *,
    demands: tuple[Demand, ...] = (),
    together: bool = False,
) -> Answer:
    """A fix of the edits that ``build`` makes; where it raises :class:`CannotBuild`, the reason as an advice instead.

    Parameters: ``advice``, what a person may do, beside the fix; ``demands`` and ``together`` as in :class:`Fix`.
    """
    try:
        return Answer(Fix(title, safety, tuple(build()), demands, together=together), advice)
    except CannotBuild as reason:
        return Answer(no_fix=str(reason))
