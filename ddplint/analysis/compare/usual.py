"""What is said of a difference: as most runs come to it, and whether it rests on passes that may say nothing."""

from __future__ import annotations

from ddplint.analysis.compare.automaton import Continuation
from ddplint.analysis.compare.lockstep import Attempt
from ddplint.analysis.compare.sides import Failure, may_be_silent
from ddplint.analysis.domain.path_condition import PathCondition


def note(
    attempt: Attempt,
    conts: tuple[Continuation, Continuation],
    ways: tuple[PathCondition, PathCondition],
    shared: bool,
    failure: Failure,
) -> None:
    """Run the two sides again for what is said of ``failure``, and note it there.

    Parameters: ``attempt``, the run that found it, from ``conts`` on ``ways``; ``shared``, whether the sides see alike.
    """
    failure.usual = attempt.run_as_usual(conts, ways, shared)
    if _one_may_be_silent(failure):
        again = attempt.run_as_usual(conts, ways, shared, may_be_silent, failure)
        failure.surely = again if again is not failure else None
        failure.only_silent = again is None


def _one_may_be_silent(failure: Failure) -> bool:
    """Whether one side makes such a pass where the other surely communicates."""
    first, second = failure.first, failure.second
    return first is not None and second is not None and may_be_silent(first) is not may_be_silent(second)
