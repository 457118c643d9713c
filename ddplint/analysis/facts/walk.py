"""A walk that is over, and what rules ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from ddplint.analysis.facts.files import existence, locks
from ddplint.analysis.facts.files.writers import Writers
from ddplint.analysis.facts.ranks import multiplicity, one_node, order
from ddplint.analysis.trace import events


@dataclass(eq=False)
class Walk(events.Walk):
    """Everything one simulated program (one entry point) did, and the questions that need more of it than one event.

    Most of these are functions of a module for each subject; as methods they are what rules may ask.
    """

    @classmethod
    def of(cls, walk: events.Walk) -> Walk:
        """A walk as rules see it."""
        return cls(**{one.name: getattr(walk, one.name) for one in fields(walk) if one.init})

    run_together = multiplicity.run_together
    asks_beside = multiplicity.asks_beside
    side_by_side = multiplicity.side_by_side
    comes_before = order.comes_before
    starts_later = order.starts_later
    tests_at = existence.tests_at
    locks_around = locks.locks_around
    under_lock = locks.under_lock

    def writers(self, event: events.Event, walks: Sequence[events.Walk] = ()) -> Writers:
        """The ranks that change what an event changes. Parameters: ``walks``, those of the file."""
        return Writers(self, event, walks)

    @property
    def is_on_one_node(self) -> bool:
        """Whether all ranks of the program share one node."""
        return one_node.is_on_one_node(self)
